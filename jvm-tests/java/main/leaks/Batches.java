package leaks;

import java.util.ArrayList;
import java.util.List;

/** No leak: batches that grow, are worked off and are freed. */
public final class Batches extends Service {
    private static final int BATCH = 2500;
    private List<double[]> batch = new ArrayList<>();

    private static double[] row(int request) {
        double[] row = new double[200];
        row[0] = request;
        return row;
    }

    @Override
    void handle(int request) {
        batch.add(row(request));
        if (batch.size() == BATCH) {
            double sum = 0;
            for (double[] row : batch) sum += row[0];
            if (sum < 0) throw new IllegalStateException();
            batch = new ArrayList<>();
        }
    }

    public static void main(String[] args) throws Exception {
        new Batches().run();
    }
}
