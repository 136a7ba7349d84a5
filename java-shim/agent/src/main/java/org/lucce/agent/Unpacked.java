package org.lucce.agent;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Files of the jar in a new folder, which goes when this is closed.
 *
 * <p>Invariant: no other user can change them ({@link Owned}).
 */
final class Unpacked implements Closeable {
    private final Path folder;
    private final List<String> names;

    private Unpacked(Path folder, List<String> names) {
        this.folder = folder;
        this.names = names;
    }

    /** Unpacks these. */
    static Unpacked of(List<String> names) throws IOException {
        // A user who guesses the name can only make this fail: a folder that is there is not used.
        Path folder = Owned.parent().resolve("lucce-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
        Owned.make(folder);
        Unpacked unpacked = new Unpacked(folder, names);
        try {
            for (String name : names) {
                Owned.write(unpacked.file(name), Bundle.open(name));
            }
            return unpacked;
        } catch (IOException | RuntimeException error) {
            unpacked.close();
            throw error;
        }
    }

    /** Where a file is. */
    Path file(String name) {
        return folder.resolve(name);
    }

    @Override
    public synchronized void close() throws IOException {
        for (String name : names) {
            Files.deleteIfExists(file(name));
        }
        Files.deleteIfExists(folder);
    }
}
