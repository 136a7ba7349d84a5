package hazards.plain;

import hazards.WideNames;

/** Excluded by the driver: a method whose name lies beyond the BMP, between a site and the shape that it was made of. */
public final class Wide {
    private Wide() {}

    /** Asks another shape, and calls on. */
    public static final class Between implements WideNames.Shape {
        private final WideNames.Shape shape;

        /** Asks this shape. */
        public Between(WideNames.Shape shape) {
            this.shape = shape;
        }

        @Override
        public int m\uD835\uDCB3(int n) {
            return shape.m\uD835\uDCB3(1) + WideNames.leaf\uD835\uDCB3(11);
        }
    }
}
