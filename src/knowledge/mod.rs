//! The tables that are built into the tool, and the two types they are made of.
pub mod table;
