package shop;

/** A receipt that is copied for each of its lines. */
class Receipt {
    private static final int LINE = 64;

    static byte[] print(int lines) {
        byte[] text = new byte[0];
        for (int i = 0; i < lines; i++) {
            text = longer(text);
        }
        return text;
    }

    private static byte[] longer(byte[] text) {
        byte[] longer = new byte[text.length + LINE];
        System.arraycopy(text, 0, longer, 0, text.length);
        return longer;
    }
}
