package shop;

/** What a coupon is worth. */
class Coupons {
    static int percent(String code) {
        try {
            return Integer.parseInt(code);
        } catch (NumberFormatException notOne) {
            return 0;
        }
    }
}
