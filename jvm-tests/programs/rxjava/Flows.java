import io.reactivex.rxjava3.core.BackpressureStrategy;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import io.reactivex.rxjava3.subjects.PublishSubject;
import java.util.concurrent.TimeUnit;

/** RxJava: map, merge, window, retry, parallel, and time that the program moves itself. */
public final class Flows {
    private Flows() {}

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            System.out.println(Flowable.range(1, 500).parallel(2).runOn(Schedulers.computation()).map(i -> i * 3).filter(i -> i % 2 == 0)
                    .sequential().reduce(0, Integer::sum).blockingGet());
            System.out.println(Observable.range(0, 40).flatMap(i -> Observable.just(i).subscribeOn(Schedulers.io()).map(j -> {
                if (j % 7 == 3) throw new IllegalStateException("no " + j);
                return j;
            }).onErrorReturnItem(-1)).toList().map(list -> {
                list.sort(null);
                return list.toString();
            }).blockingGet());
            int[] tries = {0};
            System.out.println(Single.fromCallable(() -> {
                if (++tries[0] < 4) throw new java.io.IOException("again");
                return tries[0];
            }).retry(5).subscribeOn(Schedulers.single()).blockingGet());
            System.out.println(Flowable.<Integer>create(emitter -> {
                for (int i = 0; i < 1000; i++) emitter.onNext(i);
                emitter.onComplete();
            }, BackpressureStrategy.BUFFER).observeOn(Schedulers.computation(), false, 16).window(10).concatMapSingle(w -> w.count())
                    .count().blockingGet());
            TestScheduler time = new TestScheduler();
            PublishSubject<String> subject = PublishSubject.create();
            StringBuilder seen = new StringBuilder();
            subject.debounce(10, TimeUnit.MILLISECONDS, time).zipWith(Observable.interval(5, TimeUnit.MILLISECONDS, time), (s, n) -> s + n)
                    .subscribe(seen::append);
            for (int i = 0; i < 20; i++) {
                subject.onNext("v" + i);
                time.advanceTimeBy(i % 3 == 0 ? 12 : 4, TimeUnit.MILLISECONDS);
            }
            System.out.println(seen);
        }
        Schedulers.shutdown();
    }
}
