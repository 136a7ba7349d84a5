package bench.spring;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A web service with a database in memory. It asks itself for one page, prints the answer and the milliseconds of processor time that
 * the process has taken until then, and ends.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class Main {
    public static void main(String[] args) throws Exception {
        try (ConfigurableApplicationContext context = SpringApplication.run(Main.class, args)) {
            context.getBean(Items.class).saveAll(List.of(new Item("apple"), new Item("apricot"), new Item("pear")));
            String page = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/items/ap";
            byte[] answer;
            try (var in = URI.create(page).toURL().openStream()) {
                answer = in.readAllBytes();
            }
            Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElseThrow();
            System.out.println(new String(answer, StandardCharsets.UTF_8));
            System.out.println("cpu " + cpu.toMillis());
        }
    }
}
