package programs;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;

/** Mocks of the JDK's own classes, into whose methods and constructors Mockito puts calls, and others of these classes in one method. */
public final class Mocked {
    private static Object kept;

    private Mocked() {}

    private static int several(int n) {
        // One behind the other, so that nothing but the calls themselves tells them apart.
        kept = new LinkedHashMap<String, String>();
        kept = new HashSet<String>();
        kept = new ArrayList<String>(n);
        kept = new ArrayDeque<String>();
        Map<Integer, BitSet> map = new HashMap<>();
        BitSet bits = new BitSet(8);
        bits.set(n);
        map.put(n, bits);
        return map.size() + map.get(n).cardinality();
    }

    public static void main(String[] arguments) {
        int sum = several(1);
        HashMap<?, ?> map = mock(HashMap.class);
        when(map.size()).thenReturn(3);
        for (int n = 0; n < 3; n++) sum += several(n);
        BitSet bits = mock(BitSet.class);
        when(bits.cardinality()).thenReturn(4);
        for (int n = 0; n < 3; n++) sum += several(n) + map.size() + bits.cardinality();
        System.out.println("mocked " + sum);
    }
}
