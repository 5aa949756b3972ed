//! One file a format: syntax → [`document::Document`].
pub mod directive;
pub mod dockerfile;
pub mod document;
pub mod github;
pub mod kind;
mod node;
