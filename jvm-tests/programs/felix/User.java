package user;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceEvent;
import org.osgi.framework.ServiceReference;
import shared.Greeter;

/** Uses the service, on a thread of its own, too. */
public final class User implements BundleActivator {
    @Override
    public void start(BundleContext context) throws Exception {
        ServiceReference<?> reference = context.getServiceReference(Greeter.class.getName());
        if (reference == null) {
            System.out.println("no service");
            return;
        }
        context.addServiceListener(event -> System.out.println(event.getType() == ServiceEvent.UNREGISTERING ? "goes" : "comes"));
        Greeter greeter = (Greeter) context.getService(reference);
        int length = 0;
        for (int i = 0; i < 200; i++) {
            try {
                length += greeter.greet(i % 5 == 0 ? "" : "n" + i).length();
            } catch (IllegalArgumentException e) {
                length++;
            }
        }
        Thread thread = new Thread(() -> System.out.println(greeter.greet(context.getBundle().getSymbolicName())));
        thread.start();
        thread.join();
        System.out.println(length + " " + (greeter.getClass().getClassLoader() != getClass().getClassLoader()));
    }

    @Override
    public void stop(BundleContext context) {
        System.out.println("user stops");
    }
}
