package hazards;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;

/** Work that other agents look at while Lucce does: `busy`, `request`, or `wait` for a debugger. */
public class Beside {
    /** Set by the debugger. */
    static volatile boolean released;

    private static long sum;

    public static void main(String[] arguments) throws Exception {
        String what = arguments.length == 0 ? "busy" : arguments[0];
        switch (what) {
            case "busy":
                for (int round = 0; round < 150; round++) busy(round);
                break;
            case "request":
                busy(1);
                request();
                break;
            default:
                // However early the debugger comes, enough has been done for the allocations to be sampled.
                for (int round = 0; round < 60; round++) busy(round);
                for (int n = 0; n < 40_000 && !released; n++) {
                    busy(n % 7);
                    marked(n);
                    Thread.sleep(5);
                }
                System.out.println(released ? "released" : "nobody came");
                return;
        }
        System.out.println(what + " " + sum);
    }

    static void busy(int round) {
        List<String> names = new ArrayList<>();
        for (int n = 0; n < 500; n++) names.add("name" + (n * 31 + round) % 97);
        names.sort((one, other) -> compare(one, other));
        names.forEach(Beside::count);
        sum += fibonacci(round % 12);
        try {
            fail(round);
        } catch (IllegalArgumentException e) {
            count(e.getMessage());
        }
    }

    private static int compare(String one, String other) {
        return one.length() == other.length() ? one.compareTo(other) : one.length() - other.length();
    }

    private static void count(String name) {
        sum += name.length() + fibonacci(3);
    }

    private static long fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    private static void fail(int round) {
        if (round % 3 == 0) throw new IllegalArgumentException("round");
    }

    /** Where the debugger's breakpoint is. */
    private static void marked(int n) {
        int twice = 2 * n;
        count("marked" + twice);
    }

    private static void request() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        com.sun.net.httpserver.HttpServer server = com.sun.net.httpserver.HttpServer.create(any, 0);
        server.createContext("/hello", exchange -> {
            exchange.sendResponseHeaders(200, 5);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write("hello".getBytes());
            }
        });
        server.start();
        try {
            URL url = new URL("http", "127.0.0.1", server.getAddress().getPort(), "/hello");
            HttpURLConnection connection = (HttpURLConnection) url.openConnection();
            try (InputStream in = connection.getInputStream()) {
                count(new String(in.readAllBytes()));
            }
        } finally {
            server.stop(0);
        }
    }
}
