package budgets;

import org.apache.commons.lang3.math.FractionTest;
import org.lucce.junit.Baseline;

/** The published tests of a class of a library, each with a baseline. */
@Baseline
class Fractions extends FractionTest {}
