package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.SplittableRandom;
import java.util.TimeZone;
import javax.xml.parsers.SAXParserFactory;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.FopFactory;
import org.apache.fop.apps.FopFactoryBuilder;
import org.apache.xmlgraphics.util.MimeConstants;
import org.xml.sax.InputSource;

/** fop: a generated XSL-FO document (blocks, lists, tables, footnotes, page numbers, leaders) to PDF, with the fonts built into PDF. */
public final class Fop implements Program {
    private static final String[] WORDS = ("time person year way day thing man world life hand part child eye woman place work week case point government "
            + "company number group problem fact extraordinarily incomprehensible").split(" ");

    private final SAXParserFactory parsers = SAXParserFactory.newInstance();
    private FopFactory factory;
    private String document;
    private byte[] pdf;

    @Override
    public void prepare(Place place) throws Exception {
        System.setProperty("java.awt.headless", "true");
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        java.util.logging.Logger.getLogger("org.apache.fop").setLevel(java.util.logging.Level.OFF);
        FopFactoryBuilder builder = new FopFactoryBuilder(place.folder("fop").toUri());
        factory = builder.build();
        parsers.setNamespaceAware(true);
        document = document(new SplittableRandom(17));
    }

    private static String text(SplittableRandom random, int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append(WORDS[random.nextInt(WORDS.length)]).append(i % 12 == 11 ? ". " : " ");
        }
        return text.toString();
    }

    private static String document(SplittableRandom random) {
        StringBuilder fo = new StringBuilder("<fo:root xmlns:fo='http://www.w3.org/1999/XSL/Format'><fo:layout-master-set>");
        fo.append("<fo:simple-page-master master-name='page' page-width='148mm' page-height='210mm' margin='12mm'><fo:region-body margin='10mm 0'/>");
        fo.append("<fo:region-before extent='8mm'/></fo:simple-page-master></fo:layout-master-set><fo:page-sequence master-reference='page'>");
        fo.append("<fo:static-content flow-name='xsl-region-before'><fo:block text-align='end'>Page <fo:page-number/> of <fo:page-number-citation ref-id='end'/>");
        fo.append("</fo:block></fo:static-content><fo:flow flow-name='xsl-region-body' font-family='Times' font-size='9pt' text-align='justify'>");
        for (int chapter = 0; chapter < 8; chapter++) {
            fo.append("<fo:block font-size='14pt' keep-with-next='always' space-before='6mm' id='c").append(chapter).append("'>Chapter ").append(chapter);
            fo.append("<fo:leader leader-pattern='dots'/><fo:page-number-citation ref-id='c").append(chapter).append("'/></fo:block>");
            fo.append("<fo:block hyphenate='false' orphans='3' widows='3'>").append(text(random, 150)).append("<fo:inline font-weight='bold'>");
            fo.append(text(random, 5)).append("</fo:inline><fo:footnote><fo:inline>*</fo:inline><fo:footnote-body><fo:block>").append(text(random, 9));
            fo.append("</fo:block></fo:footnote-body></fo:footnote>").append(text(random, 120)).append("</fo:block><fo:list-block>");
            for (int item = 0; item < 6; item++) {
                fo.append("<fo:list-item><fo:list-item-label end-indent='label-end()'><fo:block>").append(item).append("</fo:block></fo:list-item-label>");
                fo.append("<fo:list-item-body start-indent='body-start()'><fo:block>").append(text(random, 14)).append("</fo:block></fo:list-item-body></fo:list-item>");
            }
            fo.append("</fo:list-block><fo:table table-layout='fixed' width='100%' border-collapse='collapse'><fo:table-body>");
            for (int row = 0; row < 12; row++) {
                fo.append("<fo:table-row>");
                for (int column = 0; column < 4; column++) {
                    fo.append("<fo:table-cell border='.5pt solid #888' padding='1mm'><fo:block text-align='start'>").append(text(random, 1 + random.nextInt(5)));
                    fo.append("</fo:block></fo:table-cell>");
                }
                fo.append("</fo:table-row>");
            }
            fo.append("</fo:table-body></fo:table>");
        }
        return fo.append("<fo:block id='end'/></fo:flow></fo:page-sequence></fo:root>").toString();
    }

    @Override
    public void iterate() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FOUserAgent agent = factory.newFOUserAgent();
        agent.setCreationDate(new Date(0));
        org.apache.fop.apps.Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, out);
        // Not through a Transformer: FOP uses one itself while it parses, and on JDK 25 the two would share a parser.
        parsers.newSAXParser().parse(new InputSource(new StringReader(document)), fop.getDefaultHandler());
        if (fop.getResults().getPageCount() < 8) throw new IllegalStateException(fop.getResults().getPageCount() + " pages");
        pdf = out.toByteArray();
    }

    @Override
    public long validate() {
        // The trailer's ID and a date in the metadata are made of the time.
        String text = new String(pdf, StandardCharsets.ISO_8859_1).replaceAll("/ID \\[[^\\]]*\\]|<xmp:MetadataDate>[^<]*", "");
        return new Digest().add(text).value();
    }
}
