package programs;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * H2 or Tomcat under load until a file is there: {@code programs.Loaded h2|tomcat <file>}. It prints "started" once the program has run, and
 * "ended" when it runs no more.
 */
public final class Loaded {
    private Loaded() {}

    private static void round(String program) throws Exception {
        switch (program) {
            case "h2":
                Database.main(new String[] {"3"});
                break;
            case "tomcat":
                Server.main(new String[] {"100"});
                break;
            default:
                throw new IllegalArgumentException(program);
        }
    }

    public static void main(String[] args) throws Exception {
        Path end = Path.of(args[1]);
        PrintStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        round(args[0]);
        out.println("started");
        out.flush();
        while (!Files.exists(end)) {
            round(args[0]);
        }
        out.println("ended");
        out.flush();
    }
}
