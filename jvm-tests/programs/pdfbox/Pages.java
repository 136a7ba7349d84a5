import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.encryption.AccessPermission;
import org.apache.pdfbox.pdmodel.encryption.StandardProtectionPolicy;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.apache.pdfbox.text.PDFTextStripper;

/** PDFBox: pages of text and lines, a password, a document cut short. */
public final class Pages {
    private Pages() {}

    public static void main(String[] args) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PDDocument document = new PDDocument()) {
            PDType1Font font = new PDType1Font(Standard14Fonts.FontName.HELVETICA);
            for (int p = 0; p < 5; p++) {
                PDPage page = new PDPage();
                document.addPage(page);
                try (PDPageContentStream content = new PDPageContentStream(document, page)) {
                    for (int i = 0; i < 20; i++) {
                        content.beginText();
                        content.setFont(font, 12);
                        content.newLineAtOffset(50, 700 - i * 20);
                        content.showText("Page " + p + " line " + i);
                        content.endText();
                        content.moveTo(40, 698 - i * 20);
                        content.lineTo(300, 698 - i * 20);
                        content.stroke();
                    }
                }
            }
            document.protect(new StandardProtectionPolicy("owner", "user", new AccessPermission()));
            document.save(out);
        }
        byte[] bytes = out.toByteArray();
        try (PDDocument document = Loader.loadPDF(bytes, "user")) {
            String text = new PDFTextStripper().getText(document);
            System.out.println(document.getNumberOfPages() + " " + text.length() + " " + text.contains("Page 3 line 19"));
        }
        for (byte[] wrong : new byte[][] {bytes, java.util.Arrays.copyOf(bytes, bytes.length / 2), "no document".getBytes()}) {
            try (PDDocument document = Loader.loadPDF(wrong, "other")) {
                System.out.println(document.getNumberOfPages());
            } catch (IOException e) {
                System.out.println(e.getClass().getSimpleName());
            }
        }
    }
}
