//! What a document does, statement by statement: values, state, control.
mod base;
mod commands;
mod conditions;
mod control;
pub mod expand;
pub mod files;
mod script;
mod simple;
pub mod state;
pub mod value;
pub mod walker;
mod wrappers;
mod written;
