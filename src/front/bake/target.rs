//! What is known of one target of Bake.
use super::values::{Field, Value};
use crate::front::compose::Service;
use crate::front::image_build::{Argument, ImageBuild, below, give};
use crate::span::Span;
use crate::text::word::Word;
use std::collections::BTreeMap;

/// What is known of a target, what it inherits included.
#[derive(Clone, Default)]
pub(super) struct Target {
    pub(super) attributes: BTreeMap<String, Value>,
    pub(super) args: Vec<Argument>,
    /// Something of it is not known that could be anything.
    pub(super) open: bool,
    /// Compose says something of it.
    pub(super) composed: bool,
}

/// An argument; one without a value leaves what is there.
pub(super) fn argument(field: Field) -> Option<Argument> {
    Some(Argument {
        name: field.name,
        value: Some(field.value.word()?),
        span: field.span,
    })
}

/// What Compose says of a target.
pub(super) fn composed(service: Service) -> Target {
    let image = service.image;
    let attributes = [
        ("context", image.context),
        ("dockerfile", service.dockerfile),
        (
            "dockerfile-inline",
            service.inline.map(|span| Word::of_text("", span)),
        ),
        ("target", image.target),
        ("platforms", image.platform),
    ];
    let known = attributes
        .into_iter()
        .filter_map(|(name, word)| Some((name.to_owned(), Value::Text(word?))));
    let tags = Value::List(image.tags.into_iter().map(Value::Text).collect());
    Target {
        attributes: known.chain([("tags".to_owned(), tags)]).collect(),
        args: image.args,
        composed: true,
        ..Target::default()
    }
}

impl Target {
    /// Lays another over it: that counts where both say something.
    pub(super) fn lay(&mut self, over: Self) {
        self.attributes.extend(over.attributes);
        for argument in over.args {
            give(&mut self.args, argument);
        }
        self.open |= over.open;
        self.composed |= over.composed;
    }

    /// Whether it says itself what it is built from.
    pub(super) fn has_source(&self) -> bool {
        ["context", "dockerfile"]
            .iter()
            .any(|name| self.attributes.contains_key(*name))
    }

    /// The build of it, described by the block at `span`; `None` where too little is known of it.
    pub(super) fn build(mut self, span: Span) -> Option<ImageBuild> {
        let mut word = |name: &str| -> Option<Word> {
            let value = self.attributes.remove(name)?;
            list(value).into_iter().next()?.word()
        };
        if self.open || word("dockerfile-inline").is_some() {
            return None;
        }
        let (context, dockerfile) = (word("context"), word("dockerfile"));
        let (target, platform) = (word("target"), word("platforms"));
        let tags = self.attributes.remove("tags").map_or(Vec::new(), list);
        Some(ImageBuild {
            span,
            target,
            platform,
            args: self.args,
            file: dockerfile.map(|file| below(context.as_ref(), file)),
            context,
            tags: tags.into_iter().filter_map(Value::word).collect(),
        })
    }
}

/// The items of a list, or the value itself.
pub(super) fn list(value: Value) -> Vec<Value> {
    match value {
        Value::List(items) => items,
        value => vec![value],
    }
}
