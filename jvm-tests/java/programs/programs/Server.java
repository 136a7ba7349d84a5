package programs;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import javax.servlet.AsyncContext;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** An embedded Tomcat that serves requests of several client threads: filters, sessions, errors, asynchronous answers. */
public final class Server {
    private static final ConcurrentHashMap<String, Integer> SEEN = new ConcurrentHashMap<>();

    private Server() {}

    /** Wraps the chain: doFilter calls Tomcat's doFilter, which calls the next one's doFilter. */
    static final class Counting implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
            SEEN.merge(String.valueOf(request.getParameter("n")), 1, Integer::sum);
            chain.doFilter(request, response);
        }
    }

    static final class Answer extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
            int n = Integer.parseInt(request.getParameter("n"));
            if (n % 7 == 3) {
                throw new ServletException("n is " + n);
            }
            if (n % 5 == 0) {
                response.sendError(404, "no " + n);
                return;
            }
            if (n % 4 == 1) {
                AsyncContext async = request.startAsync();
                async.start(() -> {
                    write(async.getResponse(), work(n));
                    async.complete();
                });
                return;
            }
            request.getSession().setAttribute("n", n);
            write(response, work(n));
        }

        private static void write(ServletResponse response, int value) {
            try {
                response.getWriter().println("value " + value);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static int work(int n) {
            return n <= 1 ? 1 : work(n - 1) + n % 3;
        }
    }

    private static long client(HttpClient client, int port, int thread, int requests) {
        long hash = 0;
        try {
            for (int i = 0; i < requests; i++) {
                URI uri = URI.create("http://localhost:" + port + "/answer?n=" + (i + thread) % 30);
                HttpResponse<String> response = client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
                hash += response.statusCode() * 31L + (response.statusCode() == 200 ? response.body().hashCode() : 0);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return hash;
    }

    public static void main(String[] args) throws Exception {
        int requests = Integer.parseInt(args[0]);
        java.util.logging.LogManager.getLogManager().reset();
        Path base = Files.createTempDirectory(Path.of(""), "tomcat").toAbsolutePath();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", base.toString());
        for (int i = 0; i < 2; i++) {
            FilterDef filter = new FilterDef();
            filter.setFilterName("counting" + i);
            filter.setFilter(new Counting());
            filter.setAsyncSupported("true");
            context.addFilterDef(filter);
            FilterMap map = new FilterMap();
            map.setFilterName("counting" + i);
            map.addURLPattern("/*");
            context.addFilterMap(map);
        }
        Tomcat.addServlet(context, "answer", new Answer()).setAsyncSupported(true);
        context.addServletMappingDecoded("/answer", "answer");
        tomcat.start();
        int port = tomcat.getConnector().getLocalPort();
        HttpClient client = HttpClient.newHttpClient();
        AtomicLong sum = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int n = i;
            Thread t = new Thread(() -> sum.addAndGet(client(client, port, n, requests)));
            threads.add(t);
            t.start();
        }
        for (Thread t : threads) {
            t.join();
        }
        tomcat.stop();
        tomcat.destroy();
        System.out.println(sum.get() + " " + SEEN.values().stream().mapToInt(n -> n).sum() + " " + SEEN.size());
    }
}
