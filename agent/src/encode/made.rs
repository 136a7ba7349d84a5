//! The encoder of a run, by its options: one line of the registry each, and one where no class is
//! rewritten.
//!
//! Source: `agent/src/registry.rs`.

use crate::encode::encoder::ContextEncoder;
use crate::encode::walks::Walks;
use crate::options::{EncoderKind, Options};
use crate::writer::Naming;

macro_rules! made {
    ($($kind:ident $name:literal $hooks:ident [$($ability:ident),*] $of:ty;)*) => {
        /// The encoder of a run with these options.
        ///
        /// # Errors
        /// Why the run cannot start with it.
        pub fn of_run(options: &Options, naming: &Naming) -> Result<Box<dyn ContextEncoder>, String> {
            if !options.has_hooks() {
                return Ok(Box::new(Walks));
            }
            match options.encoder {
                $(EncoderKind::$kind => {
                    <$of as ContextEncoder>::of_run(options, naming).map(|made| Box::new(made) as Box<dyn ContextEncoder>)
                })*
            }
        }
    };
}
encoders!(made);
