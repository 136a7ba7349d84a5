//! Which classes belong to the JDK and are left alone by default.
//!
//! What the boot and platform loaders define counts as the JDK's; a program or its agents can add
//! to the boot loader's, which is then named in the log. The application loader defines the user's
//! and some of the JDK's (javac, jshell): those are in a named module that the runtime image lists
//! in its `release` file.
//! Invariant: answers before the live phase are "JDK", for nothing else is loaded then.

use std::sync::OnceLock;

use jvmti_bindings::sys::jni::{jclass, jfieldID, jobject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::jvm::env::Env;
use crate::jvm::jni::Jni;
use crate::support::lock::{Lock, Locked};
use crate::support::text;

/// Prefixes of generated classes that the JDK defines in application loaders.
const GENERATED: &[&str] =
    &["java/", "jdk/internal/", "jdk/proxy", "sun/reflect/", "com/sun/proxy/$Proxy", "org/lucce/"];

/// The one class of Lucce's own that has hooks: below its activations the program is measured.
pub const MEASURED_BELOW: &str = "org/lucce/Lane";

/// A class loader, as a number that is given once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loader(i64);

impl Loader {
    const BOOT: Self = Self(0);
    const PLATFORM: Self = Self(-1);
    /// The one of the class path.
    pub const APPLICATION: Self = Self(-2);

    /// One that has this JVMTI tag, above 0.
    pub const fn tagged(tag: i64) -> Self {
        Self(tag)
    }

    /// May it be unloaded? Not so the JVM's own.
    pub fn may_die(self) -> bool {
        self.0 > 0
    }

    /// The JVMTI tag, where it may be unloaded.
    pub fn tag(self) -> Option<i64> {
        self.may_die().then_some(self.0)
    }
}

/// Knows where classes come from.
#[derive(Default)]
pub struct ClassOrigins {
    system_modules: FxHashSet<String>,
    loaders: OnceLock<Loaders>,
    /// Of the application loader: those of the JDK's modules.
    packages: Packages,
    /// Of the boot loader: those that are in no module.
    appended: Packages,
}

/// What was found of packages.
#[derive(Default)]
struct Packages(Lock<FxHashMap<String, bool>>);

impl Packages {
    /// Does it hold of the package of the class with this name? Found out at its first class, with
    /// nothing locked.
    fn holds(&self, class: &str, find_out: impl FnOnce(&str) -> bool) -> bool {
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        if let Some(&known) = self.lock().get(package) {
            return known;
        }
        let answer = find_out(package);
        self.lock().insert(package.into(), answer);
        answer
    }

    fn lock(&self) -> Locked<'_, FxHashMap<String, bool>> {
        self.0.lock()
    }
}

struct Loaders {
    platform: jobject,
    application: jobject,
    /// `Module.name`: read, never asked for, since a class is being loaded when it is needed.
    module_name: jfieldID,
}

// SAFETY: global references and method ids are valid on all threads.
unsafe impl Send for Loaders {}
// SAFETY: as above.
unsafe impl Sync for Loaders {}

impl ClassOrigins {
    /// Reads the names of the image's modules from `$JAVA_HOME/release`; an image without that file
    /// is taken for the JDK's own prefixes only.
    pub fn new(java_home: Option<&str>) -> Self {
        let release = java_home.and_then(|home| std::fs::read_to_string(format!("{home}/release")).ok());
        let modules = release.as_deref().and_then(modules_of).unwrap_or_default();
        Self { system_modules: modules, ..Self::default() }
    }

    /// Finds the built-in loaders; in the live phase only. Repeated calls do nothing.
    pub fn find_loaders(&self, jni: Jni) {
        if self.loaders.get().is_some() {
            return;
        }
        let class = jni.find_class(c"java/lang/ClassLoader");
        let module = jni.find_class(c"java/lang/Module");
        if class.is_null() || module.is_null() {
            return;
        }
        let get = |name| {
            let method = jni.static_method(class, name, c"()Ljava/lang/ClassLoader;");
            if method.is_null() { std::ptr::null_mut() } else { jni.global(jni.call_static_object(class, method)) }
        };
        let loaders = Loaders {
            platform: get(c"getPlatformClassLoader"),
            application: get(c"getSystemClassLoader"),
            module_name: jni.field(module, c"name", c"Ljava/lang/String;"),
        };
        // Another thread may have been first; its references serve as well.
        let _ = self.loaders.set(loaders);
    }

    /// The loader as a number; one that is not the JVM's own is tagged for that. `None` as long as
    /// the JVM's own are not known, and on an error.
    pub fn loader(&self, Env { jvmti, jni }: Env, loader: jobject) -> Option<Loader> {
        if loader.is_null() {
            return Some(Loader::BOOT);
        }
        let loaders = self.loaders.get()?;
        if jni.same(loader, loaders.application) {
            Some(Loader::APPLICATION)
        } else if jni.same(loader, loaders.platform) {
            Some(Loader::PLATFORM)
        } else {
            jvmti.tagged(loader).map(Loader::tagged)
        }
    }

    /// Are the built-in loaders known? Before that every class is taken for the JDK's.
    pub fn is_ready(&self) -> bool {
        self.loaders.get().is_some()
    }

    /// Is the loaded class of that name the JDK's (or Lucce's own)? `None` if the JVM does not tell
    /// its loader.
    pub fn is_jdk_class(&self, env: Env, class: jclass, name: &str) -> Option<bool> {
        let loader = env.jvmti.class_loader(class)?;
        let jdk = self.is_jdk(env, loader, name);
        env.jni.release(loader);
        Some(jdk)
    }

    /// Is the class the JDK's (or Lucce's own)?
    pub fn is_jdk(&self, env: Env, loader: jobject, name: &str) -> bool {
        if loader.is_null() || is_generated(name) {
            return true;
        }
        let Some(loaders) = self.loaders.get() else { return true };
        if env.jni.same(loader, loaders.platform) {
            return true;
        }
        if !env.jni.same(loader, loaders.application) {
            return false;
        }
        self.packages.holds(name, |package| self.is_system_package(env, loaders, package))
    }

    /// Was this class of the boot loader added to the JDK's own (`-Xbootclasspath/a`,
    /// AppendToBootstrapClassLoaderSearch)? Such are in no module. In the live phase only.
    pub fn is_appended(&self, Env { jvmti, jni }: Env, name: &str) -> bool {
        if !self.is_ready() || is_generated(name) {
            return false;
        }
        self.appended.holds(name, |package| {
            let package = text::the_jvms(package);
            let module = jvmti.named_module(std::ptr::null_mut(), &package);
            jni.release(module);
            module.is_null()
        })
    }

    fn is_system_package(&self, Env { jvmti, jni }: Env, loaders: &Loaders, package: &str) -> bool {
        let package = text::the_jvms(package);
        let module = jvmti.named_module(loaders.application, &package);
        if module.is_null() || loaders.module_name.is_null() {
            return false;
        }
        let name = jni.object(module, loaders.module_name);
        let text = jni.text(name);
        jni.release(name);
        jni.release(module);
        text.is_some_and(|name| self.system_modules.contains(&name))
    }
}

/// Is a class of this name the JDK's, whatever loader defines it?
fn is_generated(name: &str) -> bool {
    name != MEASURED_BELOW && GENERATED.iter().any(|prefix| name.starts_with(prefix))
}

/// The `MODULES="java.base java.compiler ..."` line of a `release` file.
fn modules_of(release: &str) -> Option<FxHashSet<String>> {
    let line = release.lines().find_map(|line| line.strip_prefix("MODULES="))?;
    Some(line.trim_matches('"').split_whitespace().map(Into::into).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_release_file_names_the_modules() {
        let modules = modules_of("IMPLEMENTOR=\"x\"\nMODULES=\"java.base jdk.compiler\"\n").unwrap();
        assert!(modules.contains("jdk.compiler") && modules.len() == 2);
    }
}
