package org.lucce.agent;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * Folders and files that no other user can change, nor put in another's place; root can.
 *
 * <p>Invariant: no symbolic link is followed below the folder for temporary files. A file is made
 * by its first open, and a folder is looked at after it was made. Source: open(2), {@code O_EXCL};
 * path_resolution(7); sticky(7).
 */
final class Owned {
    /** Where to unpack, if not in the JVM's folder for temporary files. */
    private static final String FOLDER = "lucce.unpack";

    /** Bits of a file's mode. */
    private static final int TYPE = 0170000;
    private static final int IS_FOLDER = 0040000;
    private static final int IS_FILE = 0100000;
    private static final int BY_OTHERS = 0022;
    private static final int STICKY = 01000;
    private static final int PERMISSIONS = 0777;

    private Owned() {}

    /** The folder in which ours are made. */
    static Path parent() throws IOException {
        Path parent = Paths.get(System.getProperty(FOLDER, System.getProperty("java.io.tmpdir"))).toRealPath();
        for (Path folder = parent; folder != null; folder = folder.getParent()) {
            int mode = mode(folder);
            int owner = owner(folder);
            if ((mode & BY_OTHERS) != 0 && (mode & STICKY) == 0 || owner != 0 && owner != user()) {
                throw new IOException("other users can rename what is in " + folder + ": name another folder with -D" + FOLDER + "=");
            }
        }
        return parent;
    }

    /** Makes a folder, which must not be there yet. */
    static void make(Path folder) throws IOException {
        Files.createDirectory(folder, permissions("rwx------"));
        check(folder);
    }

    /** Refuses what is no folder of this user's alone. */
    static void check(Path folder) throws IOException {
        int mode = mode(folder);
        if ((mode & TYPE) != IS_FOLDER || owner(folder) != user() || (mode & PERMISSIONS) != 0700) {
            throw new IOException(folder + " is no folder of this user's alone: remove it, or name another folder with -D" + FOLDER + "=");
        }
    }

    /** Is it a file of this user's that no other may write? Asked of one in such a folder. */
    static boolean isFile(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        int mode = mode(file);
        return (mode & TYPE) == IS_FILE && owner(file) == user() && (mode & BY_OTHERS) == 0;
    }

    /** Writes a file, which must not be there yet. */
    static void write(Path file, InputStream bytes) throws IOException {
        Set<StandardOpenOption> made = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (InputStream from = bytes;
                OutputStream to = Channels.newOutputStream(Files.newByteChannel(file, made, permissions("rwx------")))) {
            from.transferTo(to);
        }
    }

    /** The user of this process. */
    static int user() throws IOException {
        return (Integer) Files.getAttribute(Paths.get("/proc/self"), "unix:uid");
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    private static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }
}
