//! What the projects of the repository say of themselves in their build files, as builder records.
//! Beside `builders` on floor 4: it makes records of the shape that [`crate::builders::record`] has and knows nothing of how
//! they are evaluated; `builders` takes them as it takes those of the tables and knows nothing of where they were read.
pub mod guard;
pub mod setup_py;
