//! Lists of architectures: one parser a syntax. Each gives the images that the compiler would embed and the tokens that the
//! consumer does not take. Ranges are byte offsets into the list's own text.
mod cmake;
mod find_cuda;
mod flags;
mod names;
mod plain;
mod special;
mod split;
mod syntax;
mod torch;
mod write;

pub use plain::fixed;
pub use special::{Special, expand};
pub use syntax::{NotASyntax, Syntax};
pub use torch::known_targets as torch_targets;
pub use write::{Entry, to_text};

use super::capability::{Image, Target};
use super::version::Version;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a consumer does with a token that it does not take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all(deserialize = "lowercase"))]
pub enum FaultKind {
    /// The build stops.
    #[default]
    Rejected,
    /// The token is left out without a word.
    Dropped,
}

/// What a parser knows of the consumer beside its syntax.
#[derive(Clone, Copy, Debug, Default)]
pub struct Consumer<'c> {
    /// The torch release, for torch's own list.
    pub torch: Option<Version>,
    /// The only targets that the consumer takes; `None`: any.
    pub known: Option<&'c [Target]>,
    /// What it does with others.
    pub unknown: FaultKind,
}

/// A list as its consumer reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// What the compiler would embed, each once, in the list's order.
    pub images: Vec<Image>,
    /// Words that stand for images which the text alone does not name.
    pub specials: Vec<(Special, Token)>,
    /// What the consumer does not take.
    pub faults: Vec<Fault>,
    /// Every token, in order.
    pub tokens: Vec<Token>,
}

/// A piece of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// Its bytes in the list; for an empty token, those of the separator that makes it.
    pub range: Range<usize>,
}

/// A token that the consumer does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it does with it.
    pub kind: FaultKind,
    /// The token.
    pub token: Token,
    /// Why, in words, without a final full stop.
    pub reason: String,
}

/// Reads a list. An empty text gives an empty result: whether that means unset, nothing or an error is the consumer's affair.
pub fn parse(syntax: Syntax, text: &str, consumer: &Consumer<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    match syntax {
        Syntax::Torch => torch::parse(text, consumer.torch, &mut parsed),
        Syntax::FindCuda => find_cuda::parse(text, &mut parsed),
        Syntax::Cmake => cmake::parse(text, &mut parsed),
        Syntax::Undotted(separators) => {
            plain::list(
                text,
                &separators,
                plain::Spelling::Undotted,
                consumer,
                &mut parsed,
            );
        }
        Syntax::Dotted(separators) => {
            plain::list(
                text,
                &separators,
                plain::Spelling::Dotted,
                consumer,
                &mut parsed,
            );
        }
        Syntax::OneUndotted => plain::one(text, plain::Spelling::Undotted, consumer, &mut parsed),
        Syntax::OneDotted => plain::one(text, plain::Spelling::Dotted, consumer, &mut parsed),
        Syntax::Names => names::parse(text, consumer, &mut parsed),
        Syntax::Flags => flags::parse(text, &mut parsed),
    }
    parsed
}

impl Parsed {
    fn embed(&mut self, images: impl IntoIterator<Item = Image>) {
        for image in images {
            if !self.images.contains(&image) {
                self.images.push(image);
            }
        }
    }

    fn reject(&mut self, token: Token, reason: impl Into<String>) {
        self.fault(FaultKind::Rejected, token, reason);
    }

    fn fault(&mut self, kind: FaultKind, token: Token, reason: impl Into<String>) {
        self.faults.push(Fault {
            kind,
            token,
            reason: reason.into(),
        });
    }

    /// Embeds a token's images, as far as the consumer knows their targets.
    fn embed_known(&mut self, token: Token, images: Vec<Image>, consumer: &Consumer<'_>) {
        let taken = |image: &Image| {
            consumer
                .known
                .is_none_or(|known| known.contains(&image.target))
        };
        if images.iter().all(taken) {
            self.embed(images);
        } else {
            let reason = format!("this consumer does not know `{}`", token.text);
            self.fault(consumer.unknown, token, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the text, every token stands in it where it says.
        #[test]
        fn tokens_stand_where_they_say(
            text in r#"([89]\.[0-9]a?|sm_90|compute_80|80|-arch=?|-gencode |arch=|code=|\[|\]|"|;|,| |\+PTX|native|é|\PC){0,8}"#,
            syntax in prop::sample::select(vec![
                "torch", "find-cuda", "cmake", "undotted(;)", "dotted(,)", "one-undotted", "names", "gencode",
            ]),
        ) {
            let parsed = parse(syntax.parse().unwrap(), &text, &Consumer::default());
            let faults = parsed.faults.iter().map(|fault| &fault.token);
            for token in parsed.tokens.iter().chain(faults) {
                let there = text.get(token.range.clone());
                prop_assert!(there.is_some());
                prop_assert!(token.text.is_empty() || there == Some(token.text.as_str()));
            }
        }
    }
}
