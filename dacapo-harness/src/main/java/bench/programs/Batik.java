package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.batik.transcoder.TranscoderException;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.PNGTranscoder;

/** batik: generated SVG pictures to PNG: paths, gradients, patterns, clips, masks, filters, styles, references. No text: fonts differ. */
public final class Batik implements Program {
    private static final int PICTURES = 6;

    private final List<String> pictures = new ArrayList<>();
    private Digest digest;

    @Override
    public void prepare(Place place) {
        System.setProperty("java.awt.headless", "true");
        SplittableRandom random = new SplittableRandom(13);
        for (int i = 0; i < PICTURES; i++) {
            pictures.add(picture(random));
        }
    }

    private static String picture(SplittableRandom random) {
        StringBuilder svg = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='240' height='240'><defs>");
        svg.append("<style type='text/css'>.thin{stroke:#333;stroke-width:1} g > path {fill-opacity:.6} #last{opacity:.8}</style>");
        svg.append("<linearGradient id='a'><stop offset='0' stop-color='red'/><stop offset='1' stop-color='#00f' stop-opacity='.5'/></linearGradient>");
        svg.append("<radialGradient id='b'><stop offset='.2' stop-color='gold'/><stop offset='.9' stop-color='green'/></radialGradient>");
        svg.append("<pattern id='c' width='9' height='9' patternUnits='userSpaceOnUse'><rect width='4' height='4' fill='teal'/></pattern>");
        svg.append("<clipPath id='d'><circle cx='120' cy='120' r='100'/></clipPath>");
        svg.append("<filter id='e'><feGaussianBlur stdDeviation='2'/><feOffset dx='2' dy='3'/></filter>");
        svg.append("<symbol id='f' viewBox='0 0 10 10'><path d='M0 0L10 5L0 10z'/></symbol></defs><rect width='240' height='240' fill='white'/>");
        String[] fills = {"url(#a)", "url(#b)", "url(#c)", "#c0ffee", "none"};
        for (int group = 0; group < 8; group++) {
            svg.append("<g transform='rotate(").append(random.nextInt(90)).append(" 120 120)'");
            svg.append(group % 3 == 0 ? " clip-path='url(#d)'>" : group == 4 ? " filter='url(#e)'>" : ">");
            for (int shape = 0; shape < 25; shape++) {
                String fill = "' class='thin' fill='" + fills[random.nextInt(fills.length)] + "'/>";
                int x = random.nextInt(220), y = random.nextInt(220), size = 4 + random.nextInt(40);
                switch (random.nextInt(5)) {
                    case 0: svg.append("<rect rx='3' x='").append(x).append("' y='").append(y).append("' height='9' width='").append(size); break;
                    case 1: svg.append("<ellipse cx='").append(x).append("' cy='").append(y).append("' ry='7' rx='").append(size); break;
                    case 2: svg.append("<use xlink:href='#f' x='").append(x).append("' y='").append(y).append("' width='20' height='").append(size); break;
                    case 3: svg.append("<polyline stroke-dasharray='4,2' points='").append(x).append(',').append(y).append(" 120,").append(size).append(" 9,99"); break;
                    default: svg.append("<path d='M").append(x).append(' ').append(y).append("c").append(size).append(" 0 0 ").append(size)
                            .append(" 30 30s9 9 20 4q5 5 9 1a20 9 30 0 1 9 ").append(size).append("z"); break;
                }
                svg.append(fill);
            }
            svg.append("</g>");
        }
        return svg.append("<circle id='last' cx='60' cy='60' r='30'/></svg>").toString();
    }

    @Override
    public void iterate() throws TranscoderException {
        digest = new Digest();
        for (String picture : pictures) {
            new PNGTranscoder().transcode(new TranscoderInput(new StringReader(picture)), new TranscoderOutput(digest));
        }
    }

    @Override
    public long validate() {
        if (digest.length() < 5_000L * PICTURES) throw new IllegalStateException("only " + digest.length() + " bytes of PNG");
        return digest.value();
    }
}
