//! One file a format: syntax → [`document::Document`].
pub mod dockerfile;
pub mod document;
