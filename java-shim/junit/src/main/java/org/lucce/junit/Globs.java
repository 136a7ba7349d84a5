package org.lucce.junit;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Patterns as the agent's options have them: {@code *} stands for any run of characters, {@code ?}
 * for one.
 */
final class Globs {
    private Globs() {}

    /** Does a name match the pattern as a whole? */
    static Predicate<String> matching(String glob) {
        String regex = glob.chars().mapToObj(c -> c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf((char) c)))
                .collect(Collectors.joining());
        return Pattern.compile(regex, Pattern.DOTALL).asMatchPredicate();
    }
}
