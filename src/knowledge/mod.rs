//! What the field knows: toolkits, GPUs, base images, wheels, builders. Compiled into static tables.
pub mod table;
