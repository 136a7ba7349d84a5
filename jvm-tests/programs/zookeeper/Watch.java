import java.io.File;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** ZooKeeper: nodes, transactions, watches, asynchronous calls and errors. */
public final class Watch {
    private Watch() {}

    public static void main(String[] args) throws Exception {
        ZooKeeperServer server = new ZooKeeperServer(new File("data"), new File("data"), 2000);
        NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
        factory.configure(new InetSocketAddress("localhost", 0), 10);
        factory.startup(server);
        CountDownLatch connected = new CountDownLatch(1);
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        ZooKeeper client = new ZooKeeper("localhost:" + factory.getLocalPort(), 30_000, event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) connected.countDown();
        });
        connected.await();
        client.create("/a", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        int errors = 0;
        for (int i = 0; i < 40; i++) {
            client.create("/a/n" + i, ("v" + i).getBytes(), ZooDefs.Ids.OPEN_ACL_UNSAFE, i % 2 == 0 ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT);
            try {
                client.create("/a/n" + i, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException.NodeExistsException e) {
                errors++;
            }
        }
        Watcher watcher = (WatchedEvent event) -> events.add(event.getType() + " " + event.getPath());
        for (int i = 0; i < 10; i++) {
            client.getData("/a/n" + i, watcher, null);
            client.setData("/a/n" + i, ("w" + i).getBytes(), -1);
            System.out.println(events.take());
        }
        client.multi(List.of(Op.delete("/a/n1", -1), Op.create("/a/m", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
        CountDownLatch read = new CountDownLatch(30);
        for (int i = 2; i < 32; i++) client.getData("/a/n" + i, false, (code, path, context, data, stat) -> read.countDown(), null);
        read.await();
        System.out.println(client.getChildren("/a", false).size() + " " + errors);
        client.close();
        factory.shutdown();
        System.exit(0);
    }
}
