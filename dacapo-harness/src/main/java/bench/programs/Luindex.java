package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.io.IOException;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;

/** luindex: Lucene indexes {@link Corpus} into memory, with English stemming, and merges to one segment. */
public final class Luindex implements Program {
    private final Analyzer analyzer = new EnglishAnalyzer();
    private Corpus corpus;
    private Directory directory;

    @Override
    public void prepare(Place place) throws IOException {
        corpus = new Corpus(place);
    }

    @Override
    public void before() {
        directory = new ByteBuffersDirectory();
    }

    @Override
    public void iterate() throws IOException {
        corpus.index(directory, analyzer);
    }

    @Override
    public long validate() throws IOException {
        Digest digest = new Digest();
        try (DirectoryReader reader = DirectoryReader.open(directory)) {
            if (reader.numDocs() != corpus.documents()) throw new IllegalStateException(reader.numDocs() + " documents");
            for (LeafReaderContext leaf : reader.leaves()) {
                TermsEnum terms = leaf.reader().terms("body").iterator();
                while (terms.next() != null) {
                    digest.add(terms.term().utf8ToString()).add(terms.docFreq()).add(terms.totalTermFreq());
                }
            }
        }
        return digest.value();
    }
}
