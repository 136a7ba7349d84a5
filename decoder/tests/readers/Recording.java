import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.item.IAttribute;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.IType;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/** Reads a recording as JDK Mission Control does. Prints number and sum of the events lucce.*,
 *  by kind and class: records end with U+001E, fields stand apart by U+001F. */
class Recording {
    public static void main(String[] arguments) throws Exception {
        Map<String, long[]> sums = new TreeMap<>();
        for (IItemIterable events : JfrLoaderToolkit.loadEvents(new File(arguments[0]))) {
            IType<IItem> type = events.getType();
            if (!type.getIdentifier().startsWith("lucce.")) {
                continue;
            }
            for (IItem event : events) {
                IMCType of = (IMCType) field(type, event, "objectClass");
                String key = field(type, event, "kind") + "\u001f" + (of == null ? "" : of.getFullName());
                long[] sum = sums.computeIfAbsent(key, unused -> new long[2]);
                sum[0] += number(field(type, event, "count"));
                sum[1] += number(field(type, event, "value"));
            }
        }
        StringBuilder out = new StringBuilder();
        sums.forEach((key, sum) -> out.append(key).append('\u001f').append(sum[0]).append('\u001f').append(sum[1]).append('\u001e'));
        System.out.write(out.toString().getBytes("UTF-8"));
        System.out.flush();
    }

    /** In its own unit. */
    private static long number(Object value) {
        return value instanceof IQuantity ? ((IQuantity) value).longValue() : ((Number) value).longValue();
    }

    private static Object field(IType<IItem> type, IItem event, String name) {
        for (IAttribute<?> attribute : type.getAttributes()) {
            if (attribute.getIdentifier().equals(name)) {
                IMemberAccessor<?, IItem> accessor = attribute.getAccessor(type);
                return accessor.getMember(event);
            }
        }
        throw new IllegalStateException(type.getIdentifier() + " has no " + name);
    }
}
