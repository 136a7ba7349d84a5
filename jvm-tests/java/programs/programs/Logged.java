package programs;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.lucce.LucceMdc;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Lines of a log by SLF4J and Logback, with the number of a context as an attribute, and behind each the stack that it must stand for. */
public final class Logged {
    private static final Logger LOG = LoggerFactory.getLogger(Logged.class);

    private Logged() {}

    private static void handle(int depth) {
        if (depth > 0) {
            handle(depth - 1);
            return;
        }
        LucceMdc.put(MDC::put); Throwable here = new Throwable();
        LOG.info("handled");
        LucceMdc.remove(MDC::remove);
        LOG.info("left");
        System.out.println(Stacks.line(here));
    }

    /** To the output, in a pattern of the guide's. */
    private static void configure() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%msg [%X{lucce.context}]%n");
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    }

    public static void main(String[] args) throws InterruptedException {
        configure();
        handle(0);
        handle(30);
        Thread other = new Thread(() -> handle(2));
        other.start();
        other.join();
    }
}
