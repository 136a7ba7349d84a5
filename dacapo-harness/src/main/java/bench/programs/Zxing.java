package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import com.google.zxing.BarcodeFormat;
import com.google.zxing.BinaryBitmap;
import com.google.zxing.DecodeHintType;
import com.google.zxing.MultiFormatReader;
import com.google.zxing.MultiFormatWriter;
import com.google.zxing.NotFoundException;
import com.google.zxing.RGBLuminanceSource;
import com.google.zxing.Result;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.common.HybridBinarizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** zxing: barcodes of ten formats in noisy pictures, made beforehand, are found and read. */
public final class Zxing implements Program {
    private static final BarcodeFormat[] FORMATS = {
        BarcodeFormat.QR_CODE, BarcodeFormat.AZTEC, BarcodeFormat.DATA_MATRIX, BarcodeFormat.PDF_417, BarcodeFormat.CODE_128,
        BarcodeFormat.CODE_39, BarcodeFormat.EAN_13, BarcodeFormat.ITF, BarcodeFormat.UPC_A, BarcodeFormat.CODABAR,
    };
    private static final int SIZE = 220;
    private static final int PICTURES = 40;

    private final List<int[]> pictures = new ArrayList<>();
    private Digest digest;
    private int read;

    @Override
    public void prepare(Place place) throws Exception {
        SplittableRandom random = new SplittableRandom(19);
        for (int i = 0; i < PICTURES; i++) {
            BarcodeFormat format = FORMATS[i % FORMATS.length];
            BitMatrix matrix = new MultiFormatWriter().encode(content(format, i), format, SIZE - 20, SIZE - 20);
            int[] pixels = new int[SIZE * SIZE];
            for (int at = 0; at < pixels.length; at++) {
                int x = at % SIZE - 10, y = at / SIZE - 10;
                boolean dark = x >= 0 && y >= 0 && x < matrix.getWidth() && y < matrix.getHeight() && matrix.get(x, y);
                int grey = (dark ? 40 : 200) + random.nextInt(-30, 30);
                pixels[at] = grey << 16 | grey << 8 | grey;
            }
            pictures.add(pixels);
        }
    }

    private static String content(BarcodeFormat format, int number) {
        switch (format) {
            case EAN_13: return "400638133393";
            case UPC_A: return "03600029145";
            case ITF: return "1234567890" + (10 + number);
            case CODABAR: return "A40156" + number + "B";
            case CODE_39: case CODE_128: return "LUCCE-" + number;
            default: return "https://example.org/item/" + number + "?q=" + "x".repeat(number);
        }
    }

    @Override
    public void iterate() {
        digest = new Digest();
        read = 0;
        for (int[] picture : pictures) {
            BinaryBitmap bitmap = new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(SIZE, SIZE, picture)));
            try {
                Result result = new MultiFormatReader().decode(bitmap, Map.of(DecodeHintType.TRY_HARDER, true));
                digest.add(result.getBarcodeFormat().name()).add(result.getText());
                read++;
            } catch (NotFoundException e) {
                digest.add("not found");
            }
        }
    }

    @Override
    public long validate() {
        if (read < PICTURES / 2) throw new IllegalStateException("only " + read + " of " + PICTURES + " read");
        return digest.value();
    }
}
