using System;

namespace Shop.Orders
{
    /// <summary>An order.</summary>
    [Serializable]
    public class Order<T> : IOrder where T : class, new()
    {
        private readonly List<T> _items = new List<T>
        {
            new T(),
        };

        public decimal Total { get; private set; }

        public string Path
        {
            get
            {
                var path = @"C:\";
                return path + $"{_items.Count:{{0}}} }}";
            }
            set { Store(value); }
        }

        public Order(int number) : base(number)
        {
            Number = number;
            Text = """a "raw" { string""";
        }

        public int Sum() =>
            _items
                .Select(item => item.Price)
                .Sum();

        public event EventHandler Changed;

        public abstract void Ship<TTo>(TTo to) where TTo : struct;
    }

    public record Point(int X, int Y)
    {
        public double Length()
        {
            return Math.Sqrt(X * X + Y * Y);
        }
    }
}
