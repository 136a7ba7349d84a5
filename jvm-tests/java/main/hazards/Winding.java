package hazards;

import java.util.Random;

/** Allocates below paths that hardly ever come again: each of the forty methods calls the next one from two places. */
public final class Winding {
    static byte[] last;

    private Winding() {}

    public static void main(String[] args) {
        Random turns = new Random(7);
        int paths = Integer.parseInt(args[0]);
        long sum = 0;
        for (int path = 0; path < paths; path++) {
            sum += level1(turns.nextLong());
        }
        System.out.println(sum);
    }

    static int allocated() {
        last = new byte[8192];
        return last.length;
    }

    static int level1(long turns) {
        return (turns & 1) == 0 ? level2(turns >> 1) : level2(turns >> 1);
    }

    static int level2(long turns) {
        return (turns & 1) == 0 ? level3(turns >> 1) : level3(turns >> 1);
    }

    static int level3(long turns) {
        return (turns & 1) == 0 ? level4(turns >> 1) : level4(turns >> 1);
    }

    static int level4(long turns) {
        return (turns & 1) == 0 ? level5(turns >> 1) : level5(turns >> 1);
    }

    static int level5(long turns) {
        return (turns & 1) == 0 ? level6(turns >> 1) : level6(turns >> 1);
    }

    static int level6(long turns) {
        return (turns & 1) == 0 ? level7(turns >> 1) : level7(turns >> 1);
    }

    static int level7(long turns) {
        return (turns & 1) == 0 ? level8(turns >> 1) : level8(turns >> 1);
    }

    static int level8(long turns) {
        return (turns & 1) == 0 ? level9(turns >> 1) : level9(turns >> 1);
    }

    static int level9(long turns) {
        return (turns & 1) == 0 ? level10(turns >> 1) : level10(turns >> 1);
    }

    static int level10(long turns) {
        return (turns & 1) == 0 ? level11(turns >> 1) : level11(turns >> 1);
    }

    static int level11(long turns) {
        return (turns & 1) == 0 ? level12(turns >> 1) : level12(turns >> 1);
    }

    static int level12(long turns) {
        return (turns & 1) == 0 ? level13(turns >> 1) : level13(turns >> 1);
    }

    static int level13(long turns) {
        return (turns & 1) == 0 ? level14(turns >> 1) : level14(turns >> 1);
    }

    static int level14(long turns) {
        return (turns & 1) == 0 ? level15(turns >> 1) : level15(turns >> 1);
    }

    static int level15(long turns) {
        return (turns & 1) == 0 ? level16(turns >> 1) : level16(turns >> 1);
    }

    static int level16(long turns) {
        return (turns & 1) == 0 ? level17(turns >> 1) : level17(turns >> 1);
    }

    static int level17(long turns) {
        return (turns & 1) == 0 ? level18(turns >> 1) : level18(turns >> 1);
    }

    static int level18(long turns) {
        return (turns & 1) == 0 ? level19(turns >> 1) : level19(turns >> 1);
    }

    static int level19(long turns) {
        return (turns & 1) == 0 ? level20(turns >> 1) : level20(turns >> 1);
    }

    static int level20(long turns) {
        return (turns & 1) == 0 ? level21(turns >> 1) : level21(turns >> 1);
    }

    static int level21(long turns) {
        return (turns & 1) == 0 ? level22(turns >> 1) : level22(turns >> 1);
    }

    static int level22(long turns) {
        return (turns & 1) == 0 ? level23(turns >> 1) : level23(turns >> 1);
    }

    static int level23(long turns) {
        return (turns & 1) == 0 ? level24(turns >> 1) : level24(turns >> 1);
    }

    static int level24(long turns) {
        return (turns & 1) == 0 ? level25(turns >> 1) : level25(turns >> 1);
    }

    static int level25(long turns) {
        return (turns & 1) == 0 ? level26(turns >> 1) : level26(turns >> 1);
    }

    static int level26(long turns) {
        return (turns & 1) == 0 ? level27(turns >> 1) : level27(turns >> 1);
    }

    static int level27(long turns) {
        return (turns & 1) == 0 ? level28(turns >> 1) : level28(turns >> 1);
    }

    static int level28(long turns) {
        return (turns & 1) == 0 ? level29(turns >> 1) : level29(turns >> 1);
    }

    static int level29(long turns) {
        return (turns & 1) == 0 ? level30(turns >> 1) : level30(turns >> 1);
    }

    static int level30(long turns) {
        return (turns & 1) == 0 ? level31(turns >> 1) : level31(turns >> 1);
    }

    static int level31(long turns) {
        return (turns & 1) == 0 ? level32(turns >> 1) : level32(turns >> 1);
    }

    static int level32(long turns) {
        return (turns & 1) == 0 ? level33(turns >> 1) : level33(turns >> 1);
    }

    static int level33(long turns) {
        return (turns & 1) == 0 ? level34(turns >> 1) : level34(turns >> 1);
    }

    static int level34(long turns) {
        return (turns & 1) == 0 ? level35(turns >> 1) : level35(turns >> 1);
    }

    static int level35(long turns) {
        return (turns & 1) == 0 ? level36(turns >> 1) : level36(turns >> 1);
    }

    static int level36(long turns) {
        return (turns & 1) == 0 ? level37(turns >> 1) : level37(turns >> 1);
    }

    static int level37(long turns) {
        return (turns & 1) == 0 ? level38(turns >> 1) : level38(turns >> 1);
    }

    static int level38(long turns) {
        return (turns & 1) == 0 ? level39(turns >> 1) : level39(turns >> 1);
    }

    static int level39(long turns) {
        return (turns & 1) == 0 ? level40(turns >> 1) : level40(turns >> 1);
    }

    static int level40(long turns) {
        return (turns & 1) == 0 ? allocated() : allocated();
    }
}
