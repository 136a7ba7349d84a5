import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockConstruction;
import static org.mockito.Mockito.mockStatic;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Mocks of final classes, of statics, of constructors, and of the JDK's classes. */
class SuiteTest {
    static final class Clock {
        static int now() {
            return 1;
        }

        int add(int n) {
            return now() + n;
        }
    }

    @RepeatedTest(5)
    void finalClass() {
        Clock clock = mock(Clock.class);
        when(clock.add(anyInt())).thenAnswer(call -> call.<Integer>getArgument(0) * 2);
        int sum = 0;
        for (int i = 0; i < 30; i++) sum += clock.add(i);
        assertEquals(870, sum);
        verify(clock, times(30)).add(anyInt());
    }

    @Test
    void statics() {
        try (var clock = mockStatic(Clock.class)) {
            clock.when(Clock::now).thenReturn(41);
            assertEquals(41, Clock.now());
        }
        assertEquals(1, Clock.now());
    }

    @Test
    void constructors() {
        try (var made = mockConstruction(Clock.class, (mock, context) -> when(mock.add(1)).thenReturn(7))) {
            assertEquals(7, new Clock().add(1));
            assertEquals(1, made.constructed().size());
        }
    }

    @RepeatedTest(3)
    void listsOfTheJdk() {
        List<String> list = spy(new ArrayList<>());
        list.add("a");
        doThrow(new IllegalStateException()).when(list).clear();
        assertThrows(IllegalStateException.class, list::clear);
        assertEquals(1, list.size());
        @SuppressWarnings("unchecked")
        Map<String, Integer> map = mock(HashMap.class);
        when(map.get("x")).thenReturn(3);
        assertEquals(3, map.get("x"));
        Map<String, Integer> real = new HashMap<>();
        for (int i = 0; i < 50; i++) real.merge("k" + i % 7, i, Integer::sum);
        assertEquals(1225, real.values().stream().mapToInt(i -> i).sum());
    }
}
