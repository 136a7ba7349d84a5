package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** xalan: transforms generated documents to HTML with a compiled stylesheet: keys, sorting, modes, recursion, number formats. */
public final class Xalan implements Program {
    private static final int DOCUMENTS = 24;

    private static final String STYLE = String.join("\n",
            "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>",
            "<xsl:output method='html' indent='yes' encoding='UTF-8'/>",
            "<xsl:key name='by-author' match='book' use='author'/>",
            "<xsl:key name='by-id' match='book' use='@id'/>",
            "<xsl:variable name='threshold' select='30'/>",
            "<xsl:template match='/'><html><head><title><xsl:value-of select='library/@name'/></title></head><body>",
            "  <h1><xsl:value-of select=\"concat('Books: ', count(//book))\"/></h1>",
            "  <xsl:apply-templates select='library/shelf'/>",
            "  <table><xsl:for-each select=\"//book[generate-id() = generate-id(key('by-author', author)[1])]\">",
            "    <xsl:sort select='author'/><tr><td><xsl:value-of select='author'/></td>",
            "    <td><xsl:value-of select=\"format-number(sum(key('by-author', author)/price), '#,##0.00')\"/></td></tr></xsl:for-each></table>",
            "  <xsl:apply-templates select='//book[price &gt; $threshold]' mode='index'><xsl:sort select='title'/>",
            "    <xsl:sort select='price' data-type='number' order='descending'/></xsl:apply-templates></body></html></xsl:template>",
            "<xsl:template match='shelf'><div class='{@topic}'><h2><xsl:number count='shelf' format='I'/>. <xsl:value-of select='@topic'/></h2>",
            "  <ul><xsl:apply-templates select='book'><xsl:sort select='@year' data-type='number'/></xsl:apply-templates></ul></div></xsl:template>",
            "<xsl:template match='book'><li><xsl:choose><xsl:when test='@year &lt; 1950'><i><xsl:value-of select='title'/></i></xsl:when>",
            "  <xsl:when test=\"contains(title, 'a') and starts-with(author, 'K')\"><b><xsl:value-of select='title'/></b></xsl:when>",
            "  <xsl:otherwise><xsl:value-of select=\"translate(title, 'aeiou', 'AEIOU')\"/></xsl:otherwise></xsl:choose>",
            "  <xsl:apply-templates select='see' /><xsl:call-template name='stars'><xsl:with-param name='n' select='@stars'/></xsl:call-template></li>",
            "</xsl:template>",
            "<xsl:template match='see'> (see <a href='#{@ref}'><xsl:value-of select=\"key('by-id', @ref)/title\"/></a>)</xsl:template>",
            "<xsl:template match='book' mode='index'><p id='{@id}'><xsl:value-of select='position()'/>: <xsl:value-of select='substring(title, 1, 12)'/>,",
            "  <xsl:value-of select='count(preceding-sibling::book)'/> before, <xsl:value-of select=\"format-number(price * 1.19, '0.00')\"/></p></xsl:template>",
            "<xsl:template name='stars'><xsl:param name='n'/><xsl:if test='$n &gt; 0'>*<xsl:call-template name='stars'>",
            "  <xsl:with-param name='n' select='$n - 1'/></xsl:call-template></xsl:if></xsl:template>",
            "</xsl:stylesheet>");

    private final List<String> documents = new ArrayList<>();
    private Templates templates;
    private Digest digest;

    @Override
    public void prepare(Place place) throws TransformerException {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(library(random, i));
        }
        TransformerFactory factory = new TransformerFactoryImpl();
        templates = factory.newTemplates(new StreamSource(new StringReader(STYLE)));
    }

    private static String library(SplittableRandom random, int number) {
        StringBuilder xml = new StringBuilder("<library name='number " + number + "'>");
        int id = 0;
        for (int shelf = 0; shelf < 6; shelf++) {
            xml.append("<shelf topic='topic").append(shelf).append("'>");
            for (int book = 0; book < 12; book++, id++) {
                xml.append("<book id='b").append(id).append("' year='").append(1900 + random.nextInt(120)).append("' stars='").append(random.nextInt(6));
                xml.append("'><title>").append(words(random, 3 + random.nextInt(4))).append("</title><author>K").append(random.nextInt(9));
                xml.append(' ').append(words(random, 1)).append("</author><price>").append(random.nextInt(6000) / 100.0).append("</price>");
                if (random.nextInt(3) == 0) xml.append("<see ref='b").append(random.nextInt(id + 1)).append("'/>");
                xml.append("<!-- note &amp; such --></book>\n");
            }
            xml.append("</shelf>");
        }
        return xml.append("</library>").toString();
    }

    private static String words(SplittableRandom random, int count) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < count; i++) {
            for (int syllable = random.nextInt(3); syllable >= 0; syllable--) {
                words.append("bcdfghklmnprstvz".charAt(random.nextInt(16))).append("aeiou".charAt(random.nextInt(5)));
            }
            words.append(i + 1 < count ? " " : "");
        }
        return words.toString();
    }

    @Override
    public void iterate() throws TransformerException {
        digest = new Digest();
        for (String document : documents) {
            templates.newTransformer().transform(new StreamSource(new StringReader(document)), new StreamResult(digest));
        }
    }

    @Override
    public long validate() {
        if (digest.length() < 5_000L * DOCUMENTS) throw new IllegalStateException("only " + digest.length() + " bytes of HTML");
        return digest.value();
    }
}
