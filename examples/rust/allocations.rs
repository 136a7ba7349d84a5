//! Who allocates most? The bytes of sampled allocations by exact context; the stack with most of
//! them when the JVM ends.
use std::{collections::HashMap, ffi::c_void, sync::Mutex};

use lucce_embed::{Captured, Consumer, Env, Event, Lucce};

struct Allocations(Lucce, Mutex<HashMap<Captured, i64>>);

impl Consumer for Allocations {
    fn event(&self, _: Env, event: &Event<'_>) {
        let ("alloc", Some(context)) = (event.kind, event.captured) else { return };
        *self.1.lock().unwrap().entry(context).or_default() += event.value;
    }

    fn closing(&self, _: Env) {
        let bytes = self.1.lock().unwrap();
        let Some((&context, most)) = bytes.iter().max_by_key(|(_, bytes)| **bytes) else { return };
        println!("{most} of {} sampled bytes:", bytes.values().sum::<i64>());
        for frame in self.0.decode(context).unwrap_or_default() {
            println!("    at {}.{}:{}", frame.class, frame.method, frame.line.unwrap_or(0));
        }
    }
}

#[unsafe(no_mangle)]
extern "system" fn Agent_OnLoad(_vm: *mut c_void, _options: *mut c_void, _reserved: *mut c_void) -> i32 {
    let Some(lucce) = Lucce::find() else { return 0 };
    lucce.consume(Allocations(lucce, Mutex::default())).map_or(1, |_for_ever| 0)
}
