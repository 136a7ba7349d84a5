package org.lucce.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What a test counted when its baseline was written, and whether it still does.
 *
 * <p><b>Invariant.</b> The file is JSON with a line for each kind, class and path of methods, in
 * their order, so the same counts are the same bytes. Lines of the source are not in it: an edit
 * elsewhere in a class changes nothing.
 */
final class BaselineFile implements Budget {
    private static final Pattern LINE = Pattern.compile("\\s*\\{\"count\": (\\d+), (?:\"bytes\": (\\d+), )?(.*)},?");
    private static final Pattern INVOCATION = Pattern.compile("\\[test-template-invocation:#(\\d+)]$");

    private final boolean bytes;
    private final Path file;
    private final boolean updates = Boolean.getBoolean("lucce.update");

    BaselineFile(Baseline baseline, Method method, ExtensionContext context) {
        bytes = baseline.bytes();
        Matcher invocation = INVOCATION.matcher(context.getUniqueId());
        String name = context.getRequiredTestClass().getName() + "." + method.getName() + (invocation.find() ? "-" + invocation.group(1) : "");
        file = Paths.get(System.getProperty("lucce.baselines", "src/test/lucce"), name + ".json");
    }

    @Override
    public Optional<String> check(Counts counts) {
        Budget.needs(counts.has("alloc") || counts.has("entry"), "alloc=all");
        Map<String, long[]> now = new TreeMap<>();
        for (Count count : counts.all) {
            long[] sum = now.computeIfAbsent(key(count), unused -> new long[2]);
            sum[0] += count.count;
            sum[1] += count.bytes;
        }
        try {
            if (updates) {
                write(now, kinds(counts));
                return Optional.empty();
            }
            if (!Files.exists(file)) return Optional.of("@Baseline: no " + file + ": write it with -Dlucce.update=true");
            return compare(read(kinds(counts)), now, counts);
        } catch (IOException e) {
            throw new UncheckedIOException("the baseline " + file, e);
        }
    }

    private static String kinds(Counts counts) {
        return Stream.of("alloc", "entry").filter(counts::has).collect(Collectors.joining(" "));
    }

    /** Only what changed, with the contexts of now. */
    private Optional<String> compare(Map<String, long[]> then, Map<String, long[]> now, Counts counts) {
        StringBuilder text = new StringBuilder();
        TreeMap<String, long[]> all = new TreeMap<>(then);
        all.putAll(now);
        for (String key : all.keySet()) {
            long[] old = then.getOrDefault(key, new long[2]);
            long[] is = now.getOrDefault(key, new long[2]);
            if (old[0] == is[0] && (!bytes || old[1] == is[1])) continue;
            text.append("\n    ").append(String.format("%+d (%d before, %d now)", is[0] - old[0], old[0], is[0]));
            if (bytes) text.append(String.format(", %+d bytes", is[1] - old[1]));
            List<Count> here = counts.all.stream().filter(count -> key(count).equals(key)).collect(Collectors.toList());
            text.append(' ').append(here.isEmpty() ? key : here.get(0).isAllocation() ? "of " + here.get(0).type : "calls");
            // The file does not tell apart what one method does at several places.
            for (Count count : here) text.append(here.size() > 1 ? "\n      " + count.count + " now" : "").append(count.trace());
        }
        return text.length() == 0 ? Optional.empty() : Optional.of("@Baseline: " + file + " has other counts" + text);
    }

    private void write(Map<String, long[]> sums, String kinds) throws IOException {
        if (file.getParent() != null) Files.createDirectories(file.getParent());
        List<String> lines = new ArrayList<>();
        sums.forEach((key, sum) -> lines.add("    {\"count\": " + sum[0] + ", " + (bytes ? "\"bytes\": " + sum[1] + ", " : "") + key + "}"));
        Files.writeString(file, "{\n  \"counted\": " + quoted(kinds) + ",\n  \"sums\": [\n" + String.join(",\n", lines) + "\n  ]\n}\n");
    }

    private Map<String, long[]> read(String kinds) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() < 5 || !lines.get(2).equals("  \"sums\": [")) throw new IOException("it is not as it was written: renew it with -Dlucce.update=true");
        // A count of another kind is no change, and none of a kind is no zero.
        String counted = lines.get(1).trim();
        Budget.needs(counted.equals("\"counted\": " + quoted(kinds) + ","), "that its baseline had (" + counted + ")");
        Map<String, long[]> sums = new TreeMap<>();
        for (String line : lines.subList(3, lines.size() - 2)) {
            if (line.isEmpty()) continue;
            Matcher parts = LINE.matcher(line);
            if (!parts.matches()) throw new IOException("not a line of it: " + line);
            if (bytes && parts.group(2) == null) throw new IOException("it has no bytes: renew it with -Dlucce.update=true");
            sums.put(parts.group(3), new long[] {Long.parseLong(parts.group(1)), bytes ? Long.parseLong(parts.group(2)) : 0});
        }
        return sums;
    }

    private static String key(Count count) {
        List<String> path = new ArrayList<>();
        for (StackTraceElement frame : count.frames) path.add(quoted(Count.name(frame)));
        String type = count.type == null ? "" : "\"class\": " + quoted(count.type) + ", ";
        return "\"kind\": " + quoted(count.kind) + ", " + type + "\"path\": [" + String.join(", ", path) + "]";
    }

    /** As a string of JSON. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') quoted.append('\\');
            if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029' || c == '\u0085') quoted.append(String.format("\\u%04x", (int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
