package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.Cookie;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/**
 * tomcat: an embedded server; clients, each on a kept connection, ask for pages, forms, sessions, redirections and errors. There are more of them
 * than processors here, so that what is measured is work: one client alone and its server would wait for each other to be woken.
 */
public final class Tomcat implements Program {
    private static final int CLIENTS = 4;
    /** Of each client. */
    private static final int REQUESTS = 1500;
    private static final String[] PATHS = {"home", "list?size=3&name=a%20b&x=%C3%A4", "inner", "missing/one", "away", "item/7?q=1&q=2"};

    private org.apache.catalina.startup.Tomcat server;
    private final Client[] clients = new Client[CLIENTS];

    /** Counts and wraps, as filters do. */
    static final class Wrapping implements Filter {
        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
            request.setAttribute("filtered", request.getParameterMap().size());
            chain.doFilter(request, response);
        }
    }

    static final class Pages extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            response.setContentType("text/html;charset=UTF-8");
            String path = request.getPathInfo() == null ? "/" : request.getPathInfo();
            if (path.startsWith("/missing")) {
                response.sendError(HttpServletResponse.SC_NOT_FOUND, "no " + path);
            } else if (path.startsWith("/away")) {
                response.sendRedirect(request.getContextPath() + "/pages/home");
            } else if (path.startsWith("/inner")) {
                request.getRequestDispatcher("/pages/list").forward(request, response);
            } else {
                page(request, response, path);
            }
        }

        private static void page(HttpServletRequest request, HttpServletResponse response, String path) throws IOException {
            StringBuilder page = new StringBuilder("<html><body><h1>").append(path).append("</h1><p>").append(request.getAttribute("filtered"));
            new TreeMap<>(request.getParameterMap()).forEach((name, values) -> page.append("<li>").append(name).append('=').append(values[0]));
            for (int row = 0; row < 40; row++) {
                page.append("<tr><td>").append(row).append("</td><td>").append(Integer.toString(row * 7919, 36)).append("</td></tr>\n");
            }
            response.addCookie(new Cookie("seen", "1"));
            response.getWriter().write(page.append("</body></html>").toString());
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            page(request, response, "/posted");
        }
    }

    @Override
    public void prepare(Place place) throws Exception {
        java.util.logging.Logger.getLogger("org.apache").setLevel(java.util.logging.Level.OFF);
        server = new org.apache.catalina.startup.Tomcat();
        server.setBaseDir(place.folder("tomcat").toString());
        server.setPort(0);
        server.getConnector().setProperty("address", "127.0.0.1");
        server.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Context context = server.addContext("/app", place.folder("tomcat").toString());
        org.apache.catalina.startup.Tomcat.addServlet(context, "pages", new Pages());
        context.addServletMappingDecoded("/pages/*", "pages");
        FilterDef filter = new FilterDef();
        filter.setFilterName("wrapping");
        filter.setFilter(new Wrapping());
        context.addFilterDef(filter);
        FilterMap map = new FilterMap();
        map.setFilterName("wrapping");
        map.addURLPattern("/*");
        context.addFilterMap(map);
        server.start();
    }

    @Override
    public void iterate() throws Exception {
        int port = server.getConnector().getLocalPort();
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = new Client(port, i * REQUESTS);
            clients[i].start();
        }
        for (Client client : clients) client.join();
    }

    @Override
    public long validate() throws Exception {
        Digest all = new Digest();
        for (Client client : clients) {
            if (client.failed != null) throw client.failed;
            if (client.answers != REQUESTS) throw new IllegalStateException(client.answers + " answers");
            all.add(client.digest.value());
        }
        return all.value();
    }

    @Override
    public void close() throws Exception {
        server.stop();
        server.destroy();
    }

    private static final class Client extends Thread {
        private final int port, first;
        private final Digest digest = new Digest();
        private int answers;
        private Exception failed;

        Client(int port, int first) {
            this.port = port;
            this.first = first;
        }

        @Override
        public void run() {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setTcpNoDelay(true);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                for (int i = first; i < first + REQUESTS; i++) {
                    socket.getOutputStream().write(request(i).getBytes(StandardCharsets.ISO_8859_1));
                    answer(in);
                }
            } catch (IOException | RuntimeException e) {
                failed = e;
            }
        }

        private static String request(int i) {
            String head = " HTTP/1.1\r\nHost: localhost\r\nCookie: theme=dark; id=" + i + "\r\nAccept-Language: en, de;q=0.5\r\n";
            String body = "field=" + i + "&text=some+words&more=%26";
            return i % 7 == 0
                    ? "POST /app/pages/form" + head + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length() + "\r\n\r\n" + body
                    : "GET /app/pages/" + PATHS[i % PATHS.length] + head + "\r\n";
        }

        /** Reads one answer: its status and body are digested, its date is not. */
        private void answer(InputStream in) throws IOException {
            digest.add(line(in));
            int length = 0;
            boolean chunked = false;
            for (String header = line(in); !header.isEmpty(); header = line(in)) {
                if (header.startsWith("Content-Length: ")) length = Integer.parseInt(header.substring(16));
                chunked |= header.equals("Transfer-Encoding: chunked");
            }
            if (chunked) {
                for (int size = Integer.parseInt(line(in), 16); size > 0; size = Integer.parseInt(line(in), 16)) {
                    digest.write(in.readNBytes(size), 0, size);
                    line(in);
                }
                line(in);
            } else {
                digest.write(in.readNBytes(length), 0, length);
            }
            answers++;
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) throw new IOException("the server closed the connection");
                if (b != '\r') line.append((char) b);
            }
            return line.toString();
        }
    }
}
