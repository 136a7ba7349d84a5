package programs;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import org.lucce.LucceMdc;

/** Spans of OpenTelemetry with the number of a context as an attribute, and behind each the stack that it must stand for. */
public final class Spans {
    private static final AttributeKey<String> KEY = AttributeKey.stringKey(LucceMdc.KEY);

    private Spans() {}

    private static void handle(Tracer tracer, int depth) {
        if (depth > 0) {
            handle(tracer, depth - 1);
            return;
        }
        Span span = tracer.spanBuilder("handled").startSpan();
        Throwable here;
        try (Scope scope = span.makeCurrent()) {
            LucceMdc.put(Span.current()::setAttribute); here = new Throwable();
        } finally {
            span.end();
        }
        System.out.println("span " + ((ReadableSpan) span).getAttribute(KEY));
        System.out.println(Stacks.line(here));
    }

    public static void main(String[] args) throws InterruptedException {
        try (SdkTracerProvider provider = SdkTracerProvider.builder().build()) {
            Tracer tracer = provider.get("spans");
            handle(tracer, 0);
            handle(tracer, 30);
            Thread other = new Thread(() -> handle(tracer, 2));
            other.start();
            other.join();
        }
    }
}
