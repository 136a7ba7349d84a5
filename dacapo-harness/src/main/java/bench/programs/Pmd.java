package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import net.sourceforge.pmd.PMDConfiguration;
import net.sourceforge.pmd.PmdAnalysis;
import net.sourceforge.pmd.Report;
import net.sourceforge.pmd.RuleViolation;
import net.sourceforge.pmd.lang.LanguageRegistry;

/** pmd: rules of every category, in Java and in XPath, on a package of commons-lang3. */
public final class Pmd implements Program {
    private static final String[] RULES = {
        "category/java/bestpractices.xml", "category/java/codestyle.xml", "category/java/design.xml", "category/java/errorprone.xml",
        "category/java/performance.xml",
    };

    private PMDConfiguration configuration;
    private Report report;

    @Override
    public void prepare(Place place) throws Exception {
        java.util.logging.Logger.getLogger("net.sourceforge.pmd").setLevel(java.util.logging.Level.OFF);
        Map<String, String> sources = place.sources("commons-lang3-sources").entrySet().stream()
                .filter(source -> source.getKey().matches(".*/lang3/(mutable|tuple|concurrent)/.*"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, TreeMap::new));
        configuration = new PMDConfiguration();
        configuration.setInputPaths(place.unpack(sources, "pmd").toString());
        configuration.setDefaultLanguageVersion(LanguageRegistry.findLanguageByTerseName("java").getVersion("11"));
        configuration.setIgnoreIncrementalAnalysis(true);
        configuration.setThreads(0);
        for (String rules : RULES) {
            configuration.addRuleSet(rules);
        }
    }

    @Override
    public void iterate() {
        try (PmdAnalysis analysis = PmdAnalysis.create(configuration)) {
            report = analysis.performAnalysisAndCollectReport();
        }
    }

    @Override
    public long validate() {
        if (report.getViolations().size() < 200 || !report.getProcessingErrors().isEmpty()) {
            throw new IllegalStateException(report.getViolations().size() + " violations, " + report.getProcessingErrors().size() + " errors");
        }
        Digest digest = new Digest();
        report.getViolations().stream().map(Pmd::text).sorted().forEach(digest::add);
        return digest.value();
    }

    private static String text(RuleViolation v) {
        String file = v.getFilename().substring(v.getFilename().lastIndexOf('/') + 1);
        return file + ":" + v.getBeginLine() + ":" + v.getBeginColumn() + " " + v.getRule().getName() + " " + v.getDescription();
    }
}
