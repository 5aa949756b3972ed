//! What the field knows: base images, wheels, builders. Compiled into static tables.
pub mod images;
