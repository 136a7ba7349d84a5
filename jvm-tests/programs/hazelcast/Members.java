import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicates;
import java.io.Serializable;
import java.util.concurrent.Callable;

/** Hazelcast: a map across two members, entry processors, tasks elsewhere, queries. */
public final class Members {
    private Members() {}

    /** Runs on either member. */
    public static final class Task implements Callable<Integer>, Serializable {
        private final int n;

        Task(int n) {
            this.n = n;
        }

        @Override
        public Integer call() {
            if (n % 7 == 0) throw new IllegalArgumentException("seven");
            return n * n;
        }
    }

    public static void main(String[] args) throws Exception {
        Config config = new Config();
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true).addMember("127.0.0.1");
        config.getJetConfig().setEnabled(false);
        HazelcastInstance one = Hazelcast.newHazelcastInstance(config);
        HazelcastInstance two = Hazelcast.newHazelcastInstance(config);
        IMap<Integer, Integer> map = one.getMap("numbers");
        for (int i = 0; i < 200; i++) map.put(i, i * i % 101);
        IMap<Integer, Integer> same = two.getMap("numbers");
        EntryProcessor<Integer, Integer, Integer> add = entry -> {
            entry.setValue(entry.getValue() + 1);
            return entry.getValue();
        };
        int sum = 0;
        for (int i = 0; i < 100; i++) sum += same.executeOnKey(i, add);
        System.out.println(sum + " " + same.size() + " " + same.keySet(Predicates.lessThan("this", 20)).size());
        int failed = 0;
        for (int i = 1; i < 30; i++) {
            try {
                sum += one.getExecutorService("tasks").submit(new Task(i)).get();
            } catch (java.util.concurrent.ExecutionException e) {
                failed++;
            }
        }
        System.out.println(sum + " " + failed + " " + one.getCluster().getMembers().size());
        two.shutdown();
        one.shutdown();
    }
}
