package bench.events;

/** What is done at the top of a stack. */
interface Body {
    long run();
}
