//! What a document does, statement by statement: values, state, control.
mod base;
mod commands;
mod conditions;
pub mod content;
pub mod context;
mod control;
pub mod expand;
pub mod expression;
pub mod files;
mod jobs;
mod script;
mod simple;
pub mod state;
pub mod value;
pub mod walked;
pub mod walker;
mod wrappers;
mod written;
