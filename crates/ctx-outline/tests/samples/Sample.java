package shop.orders;

import java.util.List;

/** An order. */
@Entity(name = "orders", columns = {"a", "b"})
public class Order<T extends Comparable<T>> implements Shippable {
    private static final Map<String, Integer> CODES = new HashMap<>();

    static {
        CODES.put("one", 1);
        CODES.put("two", 2);
    }

    private final Runnable task = () -> {
        String text = """
            a text block with } and "
            """;
        run(text);
    };

    @Override
    public <R> R ship(Function<? super T, R> how) throws ShippingException {
        if (how == null) { throw new ShippingException('}'); }
        return how.apply(item);
    }

    abstract int count(int[] numbers);

    enum State {
        OPEN("o") {
            @Override boolean isFinal() {
                return this == CLOSED || false;
            }
        },
        CLOSED("c");

        private final String code;

        State(String code) {
            this.code = code + code + code;
        }
    }

    record Pair(int left, int right) {
        Pair {
            if (left > right) { throw new IllegalArgumentException(); }
        }
    }
}
