package bind;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.module.blackbird.BlackbirdModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Jackson: types by name, trees, maps, and documents that are wrong. */
public final class Bind {
    private Bind() {}

    /** Either of two. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({@JsonSubTypes.Type(value = Circle.class, name = "circle"), @JsonSubTypes.Type(value = Box.class, name = "box")})
    public interface Shape {}

    /** Round. */
    public static class Circle implements Shape {
        private int radius;

        /** Reads. */
        public int getRadius() {
            return radius;
        }

        /** Writes; refuses what cannot be. */
        public void setRadius(int radius) {
            if (radius < 0) throw new IllegalArgumentException("negative");
            this.radius = radius;
        }
    }

    /** Not round. */
    public static class Box implements Shape {
        private List<Shape> inside = new ArrayList<>();
        private Map<String, Double> sizes = new TreeMap<>();

        /** Reads. */
        public List<Shape> getInside() {
            return inside;
        }

        /** Writes. */
        public void setInside(List<Shape> inside) {
            this.inside = inside;
        }

        /** Reads. */
        public Map<String, Double> getSizes() {
            return sizes;
        }

        /** Writes. */
        public void setSizes(Map<String, Double> sizes) {
            this.sizes = sizes;
        }
    }

    public static void main(String[] args) throws Exception {
        ObjectMapper mapper = new ObjectMapper().registerModule(new BlackbirdModule()).enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
        Box box = new Box();
        Box inner = box;
        for (int i = 0; i < 12; i++) {
            Circle circle = new Circle();
            circle.setRadius(i);
            inner.inside.add(circle);
            inner.sizes.put("s" + i, i / 4.0);
            Box next = new Box();
            inner.inside.add(next);
            inner = next;
        }
        String text = null;
        for (int i = 0; i < 40; i++) {
            text = mapper.writeValueAsString(box);
            box = (Box) mapper.readValue(text, Shape.class);
        }
        System.out.println(text.length() + " " + text.hashCode());
        JsonNode tree = mapper.readTree(text);
        System.out.println(tree.findValuesAsText("radius"));
        for (String wrong : new String[] {"{\"kind\":\"circle\",\"radius\":-1}", "{\"kind\":\"star\"}", "[1,", "{\"kind\":\"circle\",\"x\":1}"}) {
            try {
                mapper.readValue(wrong, Shape.class);
            } catch (JsonProcessingException e) {
                System.out.println(e.getClass().getSimpleName());
            }
        }
    }
}
