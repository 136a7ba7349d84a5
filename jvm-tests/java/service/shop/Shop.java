package shop;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * A web service with a database in memory, which does something wrong in each of its pages. It prints the port at which it listens, and
 * runs until it is told to end by a signal.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class Shop {
    public static void main(String[] args) {
        ConfigurableApplicationContext context = SpringApplication.run(Shop.class, args);
        System.out.println("port " + context.getEnvironment().getProperty("local.server.port"));
    }

    @Bean(destroyMethod = "shutdown")
    ExecutorService mails() {
        return Executors.newFixedThreadPool(2);
    }
}
