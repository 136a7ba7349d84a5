import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Disruptor: two producers, a diamond of consumers, one of which throws. */
public final class Ring {
    private Ring() {}

    /** An entry of the ring. */
    static final class Slot {
        long value;
        long doubled;
        long squared;
    }

    public static void main(String[] args) throws Exception {
        Disruptor<Slot> disruptor = new Disruptor<>(Slot::new, 64, Executors.defaultThreadFactory(), ProducerType.MULTI, new BlockingWaitStrategy());
        AtomicLong sum = new AtomicLong();
        AtomicInteger thrown = new AtomicInteger();
        EventHandler<Slot> twice = (slot, n, end) -> slot.doubled = slot.value * 2;
        EventHandler<Slot> square = (slot, n, end) -> {
            slot.squared = slot.value * slot.value;
            if (slot.value % 50 == 0) throw new IllegalStateException("round number");
        };
        disruptor.setDefaultExceptionHandler(new ExceptionHandler<Slot>() {
            @Override
            public void handleEventException(Throwable e, long n, Slot slot) {
                thrown.incrementAndGet();
            }

            @Override
            public void handleOnStartException(Throwable e) {}

            @Override
            public void handleOnShutdownException(Throwable e) {}
        });
        disruptor.handleEventsWith(twice, square).then((slot, n, end) -> sum.addAndGet(slot.doubled + slot.squared));
        disruptor.start();
        Thread[] producers = new Thread[2];
        for (int p = 0; p < producers.length; p++) {
            int offset = p;
            producers[p] = new Thread(() -> {
                for (long i = 0; i < 2000; i++) disruptor.publishEvent((slot, n, value) -> slot.value = value, i * 2 + offset);
            });
            producers[p].start();
        }
        for (Thread producer : producers) producer.join();
        disruptor.shutdown();
        System.out.println(sum + " " + thrown);
    }
}
