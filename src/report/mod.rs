//! What a run found, in the formats that it is printed in: one file a format.
pub mod archs;
pub mod comparison;
pub mod cuobjdump;
mod size;
