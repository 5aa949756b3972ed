//! What a document does, statement by statement: values, state, control.
mod base;
mod commands;
mod conditions;
pub mod expand;
pub mod files;
mod script;
pub mod state;
pub mod value;
pub mod walker;
mod wrappers;
