package programs;

import java.io.StringReader;
import java.io.StringWriter;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Xalan: a stylesheet with recursion, keys, sorting, modes and number formats, interpreted and compiled (XSLTC). */
public final class Transform {
    private static final String SHEET = "<xsl:stylesheet version='1.0' xmlns:xsl='http://www.w3.org/1999/XSL/Transform'>"
            + "<xsl:output method='xml' indent='yes'/><xsl:key name='by' match='item' use='@group'/>"
            + "<xsl:template match='/'><out><xsl:apply-templates select='//item[generate-id() = generate-id(key(\"by\", @group)[1])]'>"
            + "<xsl:sort select='@group' order='descending'/></xsl:apply-templates>"
            + "<xsl:call-template name='count'><xsl:with-param name='n' select='40'/></xsl:call-template></out></xsl:template>"
            + "<xsl:template match='item'><group name='{@group}' total='{sum(key(\"by\", @group)/@value)}'>"
            + "<xsl:for-each select='key(\"by\", @group)'><xsl:sort select='@value' data-type='number'/>"
            + "<xsl:apply-templates select='.' mode='leaf'/></xsl:for-each></group></xsl:template>"
            + "<xsl:template match='item' mode='leaf'><v p='{position()}'><xsl:choose><xsl:when test='@value mod 2 = 0'>"
            + "<xsl:value-of select='format-number(@value, \"#,##0.00\")'/></xsl:when><xsl:otherwise>"
            + "<xsl:value-of select='translate(concat(substring(., 1, 3), \"-\", name()), \"abc\", \"ABC\")'/></xsl:otherwise></xsl:choose></v></xsl:template>"
            + "<xsl:template name='count'><xsl:param name='n'/><xsl:if test='$n &gt; 0'><n><xsl:number value='$n' format='i'/></n>"
            + "<xsl:call-template name='count'><xsl:with-param name='n' select='$n - 1'/></xsl:call-template></xsl:if></xsl:template>"
            + "</xsl:stylesheet>";

    private Transform() {}

    private static String document() {
        StringBuilder text = new StringBuilder("<items>");
        for (int i = 0; i < 150; i++) {
            text.append("<item group='g").append(i * 7 % 12).append("' value='").append(i * 31 % 1000).append("'>abcd").append(i).append("</item>");
        }
        return text.append("</items>").toString();
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("javax.xml.parsers.SAXParserFactory", "org.apache.xerces.jaxp.SAXParserFactoryImpl");
        System.setProperty("javax.xml.parsers.DocumentBuilderFactory", "org.apache.xerces.jaxp.DocumentBuilderFactoryImpl");
        for (String factory : new String[] {"org.apache.xalan.processor.TransformerFactoryImpl", "org.apache.xalan.xsltc.trax.TransformerFactoryImpl"}) {
            TransformerFactory transformers = TransformerFactory.newInstance(factory, null);
            Templates templates = transformers.newTemplates(new StreamSource(new StringReader(SHEET)));
            for (int round = 0; round < Integer.parseInt(args[0]); round++) {
                StringWriter out = new StringWriter();
                templates.newTransformer().transform(new StreamSource(new StringReader(document())), new StreamResult(out));
                System.out.println(out.toString().length() + " " + out.toString().hashCode());
            }
        }
    }
}
