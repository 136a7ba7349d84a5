package hazards.plain;

/** Excluded by the driver: an initialiser that stands between a static site and its method, since its subclass is the method's class. */
public class Interposed {
    static {
        hazards.StaticInterposer.again();
        hazards.StaticInterposer.Below.work(7);
        hazards.StaticInterposer.seen();
        hazards.StaticInterposer.Below.work(8);
        hazards.StaticInterposer.seen();
    }
}
