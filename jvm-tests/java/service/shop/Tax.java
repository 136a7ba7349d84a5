package shop;

/** A tax that takes long to compute. */
class Tax {
    static long of(int rounds) {
        long tax = 0;
        for (int i = 0; i < rounds; i++) {
            tax += Long.bitCount(tax * 0x9E3779B97F4A7C15L + i);
        }
        return tax;
    }
}
