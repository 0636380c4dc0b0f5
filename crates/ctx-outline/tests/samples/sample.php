<?php

namespace Shop\Orders;

use Shop\{Item, Line};

/** An order. */
#[Entity(table: 'orders')]
final class Order extends Base implements Shippable
{
    use Timestamps { touch as protected; }

    const OPEN = 'open {';
    private array $items = [];

    public function __construct(private readonly int $number)
    {
        # a comment with }
        $this->text = "a {$this->number} } string";
        parent::__construct($number);
    }

    public function sql(): string
    {
        return <<<SQL
            SELECT '}' FROM orders
            SQL . $this->name;
    }

    abstract public function ship(string $to): ?bool;
}

interface Shippable
{
    /**
     * {@inheritdoc}
     */
    public function weight(): float;

    /** @inheritDoc */ public function height(): float;

    public function ship(string $to): ?bool;
}

function total(array $items, callable $price = null): int
{
    $sum = array_sum(array_map(fn ($item) => $price($item), $items));
    return $sum;
}

$handler = function ($request) use ($total) {
    ?><p>It's { html</p><?php
    return $total($request);
};
