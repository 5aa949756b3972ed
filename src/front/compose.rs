//! Compose: for each service that is built, the `docker build` that it stands for. What a service runs when it starts is no build.
use super::document::{Assign, Document, Does, Scope, Statement};
use super::image_build::{self, Argument, ImageBuild, below};
use super::kind::{Kind, file_name};
use super::node;
use crate::text::variables;
use crate::text::yaml::{Entry, Node};

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

/// What is called where Compose reads the settings in its folder.
pub const SETTINGS: &str = "settings:.env";

/// Reads a Compose file.
pub fn read(source: &str) -> Document {
    node::jobs(source, |root, document| {
        let services = root.get("services").map_or(&[][..], Node::entries);
        document.scopes.extend(services.iter().filter_map(service));
    })
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
        args: build.get("args").map_or_else(Vec::new, arguments),
        target: get("target"),
        platform: get("platforms"),
        file: get("dockerfile").map(|file| below(context.as_ref(), file)),
        context,
    };
    let mut scope = image.scope(entry.name()?);
    // what Compose finds beside the file, before it fills in variables
    let settings = Does::Call {
        target: node::literal(SETTINGS, span),
        inputs: Vec::new(),
    };
    scope.statements.insert(
        1,
        Statement {
            action: settings,
            span,
        },
    );
    Some(scope)
}

/// `args:`, a map or a list; a name alone is a variable of whoever runs Compose.
fn arguments(args: &Node) -> Vec<Argument> {
    let of_map = args.entries().iter().filter_map(|entry| {
        Some(Argument {
            name: entry.name()?.to_owned(),
            value: entry.value.scalar().map(variables::word),
            span: entry.span,
        })
    });
    let of_list = args.items().iter().filter_map(|item| {
        let text = item.scalar()?;
        let pair = node::pair(text, variables::word);
        Some(match pair {
            Some(Assign { name, value, span }) => Argument {
                name,
                value: Some(value),
                span,
            },
            None => Argument {
                name: text.text().to_owned(),
                value: None,
                span: item.span,
            },
        })
    });
    of_map.chain(of_list).collect()
}
