//! Compose: for each service that is built, the `docker build` that it stands for. What a service runs when it starts is no build.
use super::document::{Document, Scope, Unit};
use super::image_build::{self, ImageBuild, below};
use super::kind::{Kind, file_name};
use super::node;
use crate::text::variables;
use crate::text::yaml::{self, Entry};

/// The kind of Compose's files.
pub static KIND: Kind = Kind {
    name: "compose",
    is_at: |path| {
        let name = file_name(path);
        (name.contains("compose") || name.starts_with("docker-compose"))
            && (name.ends_with(".yml") || name.ends_with(".yaml"))
    },
    is_in: |text| text.contains("services:"),
    read,
};

/// Reads a Compose file.
pub fn read(source: &str) -> Document {
    let yaml = yaml::parse(source);
    let mut document = Document {
        unit: Unit::Job,
        ..Document::default()
    };
    if let Some(services) = yaml.documents.first().and_then(|root| root.get("services")) {
        document
            .scopes
            .extend(services.entries().iter().filter_map(service));
    }
    node::document(source, &yaml, document)
}

fn service(entry: &Entry) -> Option<Scope> {
    let build = entry.value.entry("build")?;
    let (span, build) = (build.span, &build.value);
    if let Some(inline) = build.entry("dockerfile_inline") {
        return Some(image_build::inline(entry.name()?, inline.span));
    }
    let get = |key: &str| {
        let value = build.get(key)?.one_or_many().first()?;
        Some(node::word(value, variables::word))
    };
    let context = match build.scalar() {
        Some(context) => Some(variables::word(context)),
        None => get("context"),
    };
    let image = ImageBuild {
        span,
        args: build
            .get("args")
            .map(|args| node::assigns(args, variables::word))
            .unwrap_or_default(),
        target: get("target"),
        platform: get("platforms"),
        file: get("dockerfile").map(|file| below(context.as_ref(), file)),
        context,
    };
    Some(image.scope(entry.name()?))
}
