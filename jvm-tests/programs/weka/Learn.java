import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import weka.classifiers.Classifier;
import weka.classifiers.Evaluation;
import weka.classifiers.bayes.NaiveBayes;
import weka.classifiers.functions.Logistic;
import weka.classifiers.lazy.IBk;
import weka.classifiers.trees.J48;
import weka.classifiers.trees.RandomForest;
import weka.clusterers.SimpleKMeans;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;

/** Weka: classifiers, one of them on several threads, by cross validation, and clusters. */
public final class Learn {
    private Learn() {}

    public static void main(String[] args) throws Exception {
        ArrayList<Attribute> attributes = new ArrayList<>(List.of(new Attribute("x"), new Attribute("y"), new Attribute("z"),
                new Attribute("class", List.of("a", "b", "c"))));
        Instances data = new Instances("points", attributes, 120);
        Random random = new Random(7);
        for (int i = 0; i < 120; i++) {
            int kind = i % 3;
            data.add(new DenseInstance(1, new double[] {kind + random.nextGaussian() / 2, random.nextDouble(), kind * random.nextDouble(), kind}));
        }
        data.setClassIndex(3);
        RandomForest forest = new RandomForest();
        forest.setNumIterations(6);
        forest.setNumExecutionSlots(2);
        for (Classifier classifier : new Classifier[] {new J48(), new NaiveBayes(), new IBk(3), new Logistic(), forest}) {
            Evaluation evaluation = new Evaluation(data);
            evaluation.crossValidateModel(classifier, data, 3, new Random(1));
            System.out.println(classifier.getClass().getSimpleName() + " " + (int) evaluation.correct());
        }
        data.setClassIndex(-1);
        SimpleKMeans clusters = new SimpleKMeans();
        clusters.setNumClusters(3);
        clusters.buildClusterer(data);
        System.out.println(clusters.getClusterSizes().length);
    }
}
