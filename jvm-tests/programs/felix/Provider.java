package provider;

import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** Registers the service. */
public final class Provider implements BundleActivator {
    @Override
    public void start(BundleContext context) {
        context.registerService(shared.Greeter.class.getName(), new Polite(), null);
    }

    @Override
    public void stop(BundleContext context) {
        System.out.println("provider stops");
    }
}
