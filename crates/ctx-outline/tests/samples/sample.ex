defmodule Shop.Order do
  @moduledoc """
  Orders.

      def in_a_heredoc do
  end
  """

  @behaviour Shop.Priced
  @states [
    :open,
    :closed
  ]

  defstruct [:number, items: []]

  @type t :: %__MODULE__{
          number: integer,
          items: [Item.t()]
        }

  @doc """
  The total.

      iex> total(order)
  """
  @spec total(t, keyword) :: integer
  def total(order, opts \\ [])

  def total(%{items: []}, _opts), do: 0

  def total(order, opts)
      when is_list(opts) do
    order.items
    |> Enum.map(fn item ->
      item.price
    end)
    |> Enum.sum()
  end

  # Whether it can still change.
  def open?(order), do: order.state in @states

  defp describe(order),
    do:
      order.number
      |> to_string()
      |> String.pad_leading(8)

  defdelegate size(order), to: Shop.Counter

  defmacro __using__(opts) do
    quote do
      import Shop.Order
      def helper(x), do: x
    end
  end

  def text(order) do # as people read it
    """
    Order
  end
    #{order.number}
    """
  end

  defmodule Error do
    defexception [:message]

    @impl true
    def message(%{message: message}) do
      message
    end
  end

  defimpl String.Chars, for: Shop.Order do
    def to_string(order), do: "order"
  end

  @callback price(
              t
            ) :: integer
end

defmodule Shop.OrderTest do
  use ExUnit.Case, async: true

  describe "total/2" do
    test "is zero without items" do
      assert Shop.Order.total(%{items: []}) == 0
    end
  end
end
