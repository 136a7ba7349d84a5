package shop;

import java.util.ArrayList;
import java.util.List;

/** An order, and its receipt. */
final class Order {
    /** What was ordered. */
    private static final class Line {
        private final String item;
        private final int cents;

        Line(String item, int cents) {
            this.item = item;
            this.cents = cents;
        }
    }

    private final List<Line> lines = new ArrayList<>();

    Order add(String item, int cents) {
        lines.add(new Line(item, cents));
        return this;
    }

    String receipt() {
        StringBuilder text = new StringBuilder();
        int total = 0;
        for (Line line : lines) {
            text.append(line.item).append(' ').append(line.cents).append('\n');
            total += line.cents;
        }
        return text.append("total ").append(total).toString();
    }
}
