package bench.programs;

import bench.Digest;
import bench.Place;
import bench.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * In place of sunflow, which is not on Maven Central: a small ray tracer written as such programs are, in many little virtual methods: spheres,
 * triangles and a plane below a tree of boxes, shadows, mirrors, a texture. Java's arithmetic is the same everywhere, so the picture is too.
 */
public final class RayTracer implements Program {
    private static final int WIDTH = 360;
    private static final int HEIGHT = 270;
    private static final int BOUNCES = 4;
    private static final Vector LIGHT = new Vector(-6, 9, -4);

    private Shape scene;
    private Digest digest;

    static final class Vector {
        final double x, y, z;

        Vector(double x, double y, double z) {
            this.x = x;
            this.y = y;
            this.z = z;
        }

        Vector plus(Vector o) { return new Vector(x + o.x, y + o.y, z + o.z); }
        Vector minus(Vector o) { return new Vector(x - o.x, y - o.y, z - o.z); }
        Vector times(double f) { return new Vector(x * f, y * f, z * f); }
        Vector cross(Vector o) { return new Vector(y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x); }
        double dot(Vector o) { return x * o.x + y * o.y + z * o.z; }
        Vector unit() { return times(1 / Math.sqrt(dot(this))); }
        Vector mirrored(Vector normal) { return minus(normal.times(2 * dot(normal))); }
        double get(int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    }

    static final class Ray {
        final Vector from, direction;

        Ray(Vector from, Vector direction) {
            this.from = from;
            this.direction = direction;
        }

        Vector at(double distance) { return from.plus(direction.times(distance)); }
    }

    static final class Hit {
        final double distance;
        final Surface surface;

        Hit(double distance, Surface surface) {
            this.distance = distance;
            this.surface = surface;
        }

        static Hit nearer(Hit a, Hit b) { return a == null || b != null && b.distance < a.distance ? b : a; }
    }

    interface Shape {
        /** The nearest hit, or null. */
        Hit meet(Ray ray);

        double low(int axis);

        double high(int axis);
    }

    abstract static class Surface implements Shape {
        final double shine;

        Surface(double shine) { this.shine = shine; }

        abstract Vector normal(Vector point);

        double brightness(Vector point) { return 0.8; }

        Hit hit(double distance) { return distance > 1e-6 ? new Hit(distance, this) : null; }
    }

    static final class Sphere extends Surface {
        final Vector centre;
        final double radius;

        Sphere(Vector centre, double radius, double shine) {
            super(shine);
            this.centre = centre;
            this.radius = radius;
        }

        @Override public Hit meet(Ray ray) {
            Vector to = centre.minus(ray.from);
            double along = to.dot(ray.direction);
            double root = along * along - to.dot(to) + radius * radius;
            if (root < 0) return null;
            double half = Math.sqrt(root);
            Hit near = hit(along - half);
            return near != null ? near : hit(along + half);
        }

        @Override Vector normal(Vector point) { return point.minus(centre).times(1 / radius); }
        @Override public double low(int axis) { return centre.get(axis) - radius; }
        @Override public double high(int axis) { return centre.get(axis) + radius; }
    }

    static final class Triangle extends Surface {
        final Vector a, ab, ac, normal;

        Triangle(Vector a, Vector b, Vector c, double shine) {
            super(shine);
            this.a = a;
            ab = b.minus(a);
            ac = c.minus(a);
            normal = ab.cross(ac).unit();
        }

        @Override public Hit meet(Ray ray) {
            Vector p = ray.direction.cross(ac);
            double determinant = ab.dot(p);
            if (Math.abs(determinant) < 1e-9) return null;
            Vector t = ray.from.minus(a);
            double u = t.dot(p) / determinant;
            Vector q = t.cross(ab);
            double v = ray.direction.dot(q) / determinant;
            return u < 0 || v < 0 || u + v > 1 ? null : hit(ac.dot(q) / determinant);
        }

        @Override Vector normal(Vector point) { return normal; }
        @Override public double low(int axis) { return a.get(axis) + Math.min(0, Math.min(ab.get(axis), ac.get(axis))) - 1e-6; }
        @Override public double high(int axis) { return a.get(axis) + Math.max(0, Math.max(ab.get(axis), ac.get(axis))) + 1e-6; }
    }

    static final class Floor extends Surface {
        Floor() { super(0.2); }

        @Override public Hit meet(Ray ray) { return ray.direction.y == 0 ? null : hit(-ray.from.y / ray.direction.y); }
        @Override Vector normal(Vector point) { return new Vector(0, 1, 0); }
        @Override double brightness(Vector point) { return (Math.floor(point.x) + Math.floor(point.z)) % 2 == 0 ? 0.9 : 0.3; }
        @Override public double low(int axis) { return axis == 1 ? -1e-6 : -1e9; }
        @Override public double high(int axis) { return axis == 1 ? 1e-6 : 1e9; }
    }

    /** Both parts, if the ray meets the box around them. */
    static final class Pair implements Shape {
        final Shape left, right;
        final double[] low = new double[3], high = new double[3];

        Pair(Shape left, Shape right) {
            this.left = left;
            this.right = right;
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = Math.min(left.low(axis), right.low(axis));
                high[axis] = Math.max(left.high(axis), right.high(axis));
            }
        }

        static Shape of(List<? extends Shape> shapes, int axis) {
            if (shapes.size() == 1) return shapes.get(0);
            List<Shape> sorted = new ArrayList<>(shapes);
            sorted.sort((a, b) -> Double.compare(a.low(axis), b.low(axis)));
            int half = sorted.size() / 2;
            return new Pair(of(sorted.subList(0, half), (axis + 1) % 3), of(sorted.subList(half, sorted.size()), (axis + 1) % 3));
        }

        @Override public Hit meet(Ray ray) {
            double enter = 0, leave = Double.MAX_VALUE;
            for (int axis = 0; axis < 3; axis++) {
                double a = (low[axis] - ray.from.get(axis)) / ray.direction.get(axis);
                double b = (high[axis] - ray.from.get(axis)) / ray.direction.get(axis);
                enter = Math.max(enter, Math.min(a, b));
                leave = Math.min(leave, Math.max(a, b));
            }
            return enter > leave ? null : Hit.nearer(left.meet(ray), right.meet(ray));
        }

        @Override public double low(int axis) { return low[axis]; }
        @Override public double high(int axis) { return high[axis]; }
    }

    @Override
    public void prepare(Place place) {
        SplittableRandom random = new SplittableRandom(23);
        List<Surface> shapes = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            Vector at = new Vector(random.nextDouble() * 8 - 4, random.nextDouble() * 4 + 0.3, random.nextDouble() * 8);
            double shine = random.nextInt(3) * 0.3;
            if (i % 3 > 0) {
                shapes.add(new Sphere(at, 0.1 + random.nextDouble() * 0.4, shine));
            } else {
                Vector b = at.plus(new Vector(random.nextDouble(), random.nextDouble(), 0.2));
                shapes.add(new Triangle(at, b, at.plus(new Vector(0.1, random.nextDouble(), random.nextDouble())), shine));
            }
        }
        scene = new Pair(new Floor(), Pair.of(shapes, 0));
    }

    private double light(Ray ray, int bounces) {
        Hit hit = scene.meet(ray);
        if (hit == null) return 0.2 + 0.3 * Math.max(0, ray.direction.y);
        Vector point = ray.at(hit.distance);
        Vector normal = hit.surface.normal(point);
        if (normal.dot(ray.direction) > 0) normal = normal.times(-1);
        Vector outside = point.plus(normal.times(1e-4));
        Vector toLight = LIGHT.minus(point).unit();
        double angle = normal.dot(toLight);
        double own = 0.1;
        if (angle > 0 && scene.meet(new Ray(outside, toLight)) == null) own += angle * hit.surface.brightness(point);
        if (bounces == 0 || hit.surface.shine == 0) return own;
        Ray mirrored = new Ray(outside, ray.direction.mirrored(normal).unit());
        return own * (1 - hit.surface.shine) + light(mirrored, bounces - 1) * hit.surface.shine;
    }

    @Override
    public void iterate() {
        digest = new Digest();
        Vector eye = new Vector(0, 2.5, -7);
        for (int pixel = 0; pixel < WIDTH * HEIGHT; pixel++) {
            double x = (pixel % WIDTH - WIDTH / 2.0) / HEIGHT, y = (HEIGHT / 2.0 - pixel / WIDTH) / HEIGHT;
            digest.write((int) (255 * Math.min(1, light(new Ray(eye, new Vector(x, y, 1).unit()), BOUNCES))));
        }
    }

    @Override
    public long validate() {
        if (digest.length() != WIDTH * HEIGHT) throw new IllegalStateException(digest.length() + " pixels");
        return digest.value();
    }
}
