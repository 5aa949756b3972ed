//! One file a format: syntax → [`document::Document`].
pub mod azure;
pub mod bake;
pub mod circleci;
pub mod cog;
pub mod compose;
pub mod devcontainer;
pub mod directive;
pub mod dockerfile;
pub mod document;
pub mod github;
pub mod gitlab;
mod image_build;
pub mod jenkins;
pub mod kind;
mod matrix;
mod node;
pub mod script;
pub mod travis;
