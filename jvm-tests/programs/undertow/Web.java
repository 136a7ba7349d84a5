import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.server.handlers.PathHandler;
import io.undertow.util.StatusCodes;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Undertow: handlers on the I/O thread, on workers, dispatched, and one that throws. */
public final class Web {
    private Web() {}

    public static void main(String[] args) throws Exception {
        Logger.getLogger("").setLevel(Level.OFF);
        HttpHandler quick = exchange -> exchange.getResponseSender().send("quick " + exchange.getQueryString());
        HttpHandler blocking = new BlockingHandler(exchange -> {
            String body = new String(exchange.getInputStream().readAllBytes());
            exchange.getResponseSender().send(body.toUpperCase());
        });
        HttpHandler dispatched = exchange -> exchange.dispatch(() -> {
            exchange.setStatusCode(StatusCodes.ACCEPTED);
            exchange.getResponseSender().send("later");
        });
        HttpHandler broken = exchange -> {
            throw new IllegalStateException("broken");
        };
        Undertow server = Undertow.builder().addHttpListener(0, "localhost").setIoThreads(2).setWorkerThreads(3).setHandler(new PathHandler()
                .addExactPath("/quick", quick).addExactPath("/blocking", blocking).addExactPath("/dispatched", dispatched).addExactPath("/broken", broken)).build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        HttpClient client = HttpClient.newHttpClient();
        long sum = 0;
        for (int i = 0; i < 30; i++) {
            for (String path : new String[] {"quick?" + i, "blocking", "dispatched", "broken", "absent"}) {
                HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/" + path))
                        .method(path.equals("blocking") ? "POST" : "GET", HttpRequest.BodyPublishers.ofString("body " + i)).build();
                HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                sum += response.statusCode() + response.body().length();
                if (i == 7) System.out.println(response.statusCode() + " " + response.body());
            }
        }
        System.out.println(sum);
        server.stop();
        System.exit(0);
    }
}
