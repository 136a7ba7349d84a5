import akka.actor.AbstractActor;
import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.OneForOneStrategy;
import akka.actor.Props;
import akka.actor.SupervisorStrategy;
import akka.pattern.Patterns;
import akka.stream.javadsl.Sink;
import akka.stream.javadsl.Source;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Akka: a parent restarts its children, answers to questions, streams with and without threads of their own. */
public final class Actors {
    private Actors() {}

    /** Fails now and then. */
    static final class Worker extends AbstractActor {
        private int seen;

        @Override
        public Receive createReceive() {
            return receiveBuilder().match(Integer.class, n -> {
                seen++;
                if (n % 10 == 9) throw new IllegalStateException("nine");
                sender().tell(n * seen, self());
            }).build();
        }
    }

    /** Restarts workers. */
    static final class Parent extends AbstractActor {
        private final ActorRef worker = context().actorOf(Props.create(Worker.class, Worker::new));

        @Override
        public SupervisorStrategy supervisorStrategy() {
            return new OneForOneStrategy(100, Duration.ofMinutes(1), e -> SupervisorStrategy.restart());
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(message -> worker.forward(message, context())).build();
        }
    }

    public static void main(String[] args) throws Exception {
        ActorSystem system = ActorSystem.create("test", ConfigFactory.parseString("akka.loglevel=OFF\nakka.stdout-loglevel=OFF\n"
                + "akka.actor.default-dispatcher.fork-join-executor.parallelism-max=2").withFallback(ConfigFactory.load()));
        ActorRef parent = system.actorOf(Props.create(Parent.class, Parent::new));
        long sum = 0;
        for (int i = 0; i < 150; i++) {
            CompletionStage<Object> answer = Patterns.ask(parent, i, Duration.ofSeconds(i % 10 == 9 ? 0 : 60).plusMillis(20));
            try {
                sum += (Integer) answer.toCompletableFuture().get(90, TimeUnit.SECONDS);
            } catch (java.util.concurrent.ExecutionException e) {
                sum += 1000;
            }
        }
        System.out.println(sum);
        System.out.println(Source.range(1, 300).map(i -> i * 2).async().filter(i -> i % 3 == 0).mapAsync(3, i -> java.util.concurrent.CompletableFuture.supplyAsync(() -> i + 1))
                .runWith(Sink.fold(0, Integer::sum), system).toCompletableFuture().get());
        System.out.println(Source.range(1, 50).map(i -> 10 / (i - 20)).recover(ArithmeticException.class, () -> -1).runWith(Sink.seq(), system)
                .toCompletableFuture().get().size());
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get();
    }
}
