// Package shop sells.
package shop

import (
	"fmt"
)

const (
	Open   = iota // {
	Closed
)

var handlers = map[string]func(int) error{
	"one": func(n int) error {
		fmt.Println("a literal function's body")
		return nil
	},
}

// Order is an order.
type Order struct {
	Items map[string]struct{}
	meta  interface{ Name() string }
}

type Shipper interface {
	Ship(to string) (<-chan struct{}, error)
}

// Ship ships.
func (o *Order) Ship(to string) (<-chan struct{}, error) {
	raw := `a " raw } string`
	r := '}'
	return nil, fmt.Errorf("%s %c", raw, r)
}

func Map[T, U any](items []T, f func(T) U) interface{} {
	var out []U
	for _, item := range items { out = append(out, f(item)) }
	return out
}
