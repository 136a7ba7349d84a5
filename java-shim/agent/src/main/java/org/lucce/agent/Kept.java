package org.lucce.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The library in a folder that stays, for {@code -agentpath}.
 *
 * <p>Invariant: a library has one place for each user, by its own digest. What is there is only
 * used if it is this user's alone and has this digest.
 */
final class Kept {
    private static final int DIGITS = 16;

    private Kept() {}

    /** Where the library is; it is unpacked unless it is there. */
    static Path library() throws IOException {
        String agent = Bundle.agent();
        String digest = digest(Bundle.open(agent));
        Path user = folder(Owned.parent().resolve("lucce-" + Owned.user()));
        Path folder = folder(user.resolve(digest.substring(0, DIGITS)));
        Path library = folder.resolve(agent);
        if (library.toString().indexOf('=') >= 0) {
            throw new IOException("-agentpath takes no path with '=': " + library);
        }
        if (!Owned.isFile(library) || !digest(Files.newInputStream(library)).equals(digest)) {
            Path part = folder.resolve("part-" + ProcessHandle.current().pid() + "-" + System.nanoTime());
            try {
                Owned.write(part, Bundle.open(agent));
                Files.move(part, library, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(part);
            }
        }
        return library;
    }

    private static Path folder(Path folder) throws IOException {
        try {
            Owned.make(folder);
        } catch (FileAlreadyExistsException there) {
            Owned.check(folder);
        }
        return folder;
    }

    private static String digest(InputStream bytes) throws IOException {
        try (DigestInputStream from = new DigestInputStream(bytes, MessageDigest.getInstance("SHA-256"))) {
            from.transferTo(OutputStream.nullOutputStream());
            return String.format("%064x", new BigInteger(1, from.getMessageDigest().digest()));
        } catch (NoSuchAlgorithmException impossible) {
            // Every Java has it.
            throw new IOException(impossible);
        }
    }
}
