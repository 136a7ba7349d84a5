package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** lusearch: queries of every kind, parsed and run on the index of {@link Corpus}. */
public final class Lusearch implements Program {
    private static final int QUERIES = 700;
    private static final Sort BY_LENGTH = new Sort(new SortField("length", SortField.Type.INT), SortField.FIELD_SCORE);

    private final Analyzer analyzer = new EnglishAnalyzer();
    private final List<String> queries = new ArrayList<>();
    private DirectoryReader reader;
    private Digest digest;
    private long hits;

    @Override
    public void prepare(Place place) throws Exception {
        Corpus corpus = new Corpus(place);
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        corpus.index(directory, analyzer);
        reader = DirectoryReader.open(directory);
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < QUERIES; i++) {
            queries.add(query(corpus.words(), random));
        }
    }

    private static String query(List<String> words, SplittableRandom random) {
        int at = random.nextInt(words.size() - 3);
        String a = words.get(at);
        String b = words.get(random.nextInt(words.size()));
        switch (random.nextInt(8)) {
            case 0: return a;
            case 1: return a + " " + b + " " + words.get(at + 1);
            case 2: return "+" + a + " -" + b;
            case 3: return "\"" + a + " " + words.get(at + 1) + "\"~4";
            case 4: return a.substring(0, 3) + "*";
            case 5: return a.charAt(1) + a.substring(1) + "~1";
            case 6: return "(" + a + " OR " + b + ") AND " + words.get(at + 2);
            default: return a + "^2 " + a.substring(0, 2) + "?" + a.substring(3);
        }
    }

    @Override
    public void iterate() throws Exception {
        digest = new Digest();
        hits = 0;
        IndexSearcher searcher = new IndexSearcher(reader);
        // A cache of results would make every iteration but the first another work.
        searcher.setQueryCache(null);
        QueryParser parser = new QueryParser("body", analyzer);
        for (int i = 0; i < queries.size(); i++) {
            Query query = parser.parse(queries.get(i));
            TopDocs top = i % 4 == 0 ? searcher.search(query, 10, BY_LENGTH) : searcher.search(query, 10);
            hits += top.scoreDocs.length;
            for (ScoreDoc hit : top.scoreDocs) {
                digest.add(searcher.storedFields().document(hit.doc).get("id"));
            }
            if (i % 16 == 0) digest.add(searcher.count(IntPoint.newRangeQuery("length", 10 * i, 20 * i)));
        }
    }

    @Override
    public long validate() {
        if (hits < QUERIES) throw new IllegalStateException("only " + hits + " hits");
        return digest.value();
    }

    @Override
    public void close() throws Exception {
        reader.close();
    }
}
