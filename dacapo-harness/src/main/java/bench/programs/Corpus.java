package bench.programs;

import bench.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.Directory;

/** The texts of luindex and lusearch: the sources of commons-lang3, much of which is documentation, cut into documents of some 40 lines. */
final class Corpus {
    private static final int LINES = 40;

    private final List<Document> documents = new ArrayList<>();
    private final List<String> words = new ArrayList<>();

    Corpus(Place place) throws IOException {
        place.sources("commons-lang3-sources").forEach((path, source) -> {
            String[] lines = source.split("\n");
            for (int from = 0; from < lines.length; from += LINES) {
                String text = String.join("\n", List.of(lines).subList(from, Math.min(from + LINES, lines.length)));
                documents.add(document(path + ":" + from, text));
                for (String word : text.split("\\W+")) {
                    if (word.length() > 4 && word.chars().allMatch(Character::isLowerCase)) words.add(word);
                }
            }
        });
    }

    private static Document document(String id, String text) {
        Document document = new Document();
        document.add(new StringField("id", id, Field.Store.YES));
        document.add(new TextField("body", text, Field.Store.YES));
        document.add(new IntPoint("length", text.length()));
        document.add(new NumericDocValuesField("length", text.length()));
        return document;
    }

    /** Every long word of the texts, as often as it occurs there. */
    List<String> words() {
        return words;
    }

    int documents() {
        return documents.size();
    }

    /** Indexes all documents, deterministically: merges happen on the calling thread. */
    void index(Directory directory, Analyzer analyzer) throws IOException {
        IndexWriterConfig config = new IndexWriterConfig(analyzer).setMergeScheduler(new SerialMergeScheduler());
        config.setMaxBufferedDocs(250).setRAMBufferSizeMB(IndexWriterConfig.DISABLE_AUTO_FLUSH);
        try (IndexWriter writer = new IndexWriter(directory, config.setOpenMode(IndexWriterConfig.OpenMode.CREATE))) {
            for (Document document : documents) {
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }
}
