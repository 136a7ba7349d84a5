package leaks;

import java.util.HashMap;
import java.util.Map;

/** A cache of sessions that never evicts. */
public final class SessionCache extends Service {
    static final class Session {
        final String user;
        final byte[] state;

        Session(String user) {
            this.user = user;
            this.state = load(user);
        }

        private static byte[] load(String user) {
            return user.concat("/state").toUpperCase().repeat(40).getBytes();
        }
    }

    private final Map<String, Session> sessions = new HashMap<>();

    private Session session(String user) {
        return sessions.computeIfAbsent(user, Session::new);
    }

    @Override
    void handle(int request) {
        // Every third user is new.
        Session session = session("user" + (request % 3 == 0 ? request : request % 50));
        if (session.state.length == 0) throw new IllegalStateException(session.user);
    }

    public static void main(String[] args) throws Exception {
        new SessionCache().run();
    }
}
