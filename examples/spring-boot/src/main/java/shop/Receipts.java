package shop;

import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Service;

/** Writes receipts. */
@Service
public class Receipts {
    /** What was ordered. */
    private record Line(String item, int cents) {}

    public String of(String item, int cents, int times) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < times; i++) lines.add(new Line(item, cents));
        StringBuilder text = new StringBuilder();
        for (Line line : lines) text.append(line.item).append(' ').append(line.cents).append('\n');
        return text.append("total ").append(times * cents).toString();
    }
}
