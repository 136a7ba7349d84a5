package bench.programs;

import bench.Digest;
import bench.Main;
import bench.Place;
import bench.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code Parallel:<threads>[/<threads>...]:<program>...}: that many instances of a program, each in a thread of its own; the work of each is the
 * same. Of several numbers each iteration takes the next, so that they are compared on the same compiled code.
 */
public final class Parallel implements Program {
    private final int[] turns;
    private final List<Program> programs = new ArrayList<>();
    private int iteration;

    public Parallel(String[] arguments) throws ReflectiveOperationException {
        turns = Arrays.stream(arguments[0].split("/")).mapToInt(Integer::parseInt).toArray();
        for (int i = Arrays.stream(turns).max().getAsInt(); i > 0; i--) {
            programs.add(Main.program(Arrays.copyOfRange(arguments, 1, arguments.length)));
        }
    }

    /** Those of this iteration. */
    private List<Program> running() {
        return programs.subList(0, turns[iteration % turns.length]);
    }

    @Override
    public void prepare(Place place) throws Exception {
        for (Program program : programs) program.prepare(place);
    }

    @Override
    public void before() throws Exception {
        for (Program program : running()) program.before();
    }

    @Override
    public void iterate() throws Exception {
        Throwable[] failed = new Throwable[1];
        List<Thread> threads = new ArrayList<>();
        for (Program program : running()) {
            Thread thread = new Thread(() -> {
                try {
                    program.iterate();
                } catch (Throwable e) {
                    failed[0] = e;
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) thread.join();
        if (failed[0] != null) throw new IllegalStateException(failed[0]);
    }

    @Override
    public long validate() throws Exception {
        long first = programs.get(0).validate();
        for (Program program : running()) {
            if (program.validate() != first) throw new IllegalStateException("two threads put out different things");
        }
        iteration++;
        return new Digest().add(first).value();
    }

    @Override
    public void close() throws Exception {
        for (Program program : programs) program.close();
    }
}
