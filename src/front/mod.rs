//! One file a format: syntax → [`document::Document`].
pub mod document;
pub mod dockerfile;
