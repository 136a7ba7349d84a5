package programs;

import java.util.SplittableRandom;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: indexes generated texts in memory, deletes, merges, and searches with every kind of query. */
public final class Search {
    private static final String[] WORDS = ("time person year way day thing man world life hand part child eye woman place work week case point "
            + "government company number group problem fact running jumps quickly foxes lazier happiness nationalization").split(" ");

    private Search() {}

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            int at = Math.min(random.nextInt(WORDS.length), random.nextInt(WORDS.length));
            text.append(WORDS[at]).append(i % 11 == 10 ? ". " : " ");
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        int documents = Integer.parseInt(args[0]);
        SplittableRandom random = new SplittableRandom(3);
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        EnglishAnalyzer analyzer = new EnglishAnalyzer();
        IndexWriterConfig config = new IndexWriterConfig(analyzer).setMergeScheduler(new SerialMergeScheduler()).setMaxBufferedDocs(50);
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            for (int i = 0; i < documents; i++) {
                Document document = new Document();
                document.add(new StringField("id", "d" + i, Field.Store.YES));
                document.add(new TextField("body", text(random, 30 + random.nextInt(60)), Field.Store.NO));
                document.add(new IntPoint("number", i % 97));
                document.add(new NumericDocValuesField("number", i % 97));
                writer.addDocument(document);
            }
            writer.deleteDocuments(new Term("id", "d7"));
            writer.forceMerge(1);
        }
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            IndexSearcher searcher = new IndexSearcher(reader);
            QueryParser parser = new QueryParser("body", analyzer);
            long hash = reader.numDocs();
            for (int round = 0; round < 4; round++) {
                for (String text : new String[] {"time person", "+year -way", "\"life hand\"~3", "nat*", "quikcly~2", "(fox OR happy) AND child", "[point TO time]", "body:/w.rk/"}) {
                    Query query = parser.parse(text);
                    TopDocs top = searcher.search(query, 20);
                    hash = hash * 31 + top.totalHits.value;
                    for (ScoreDoc doc : top.scoreDocs) {
                        hash = hash * 31 + searcher.storedFields().document(doc.doc).get("id").hashCode();
                    }
                    hash = hash * 31 + searcher.search(query, 5, new Sort(new SortField("number", SortField.Type.INT))).scoreDocs.length;
                    hash += searcher.explain(query, 3).toString().length() > 0 ? 1 : 0;
                }
                hash = hash * 31 + searcher.count(IntPoint.newRangeQuery("number", 5, 50));
            }
            System.out.println(hash);
        }
    }
}
