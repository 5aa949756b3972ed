//! Words that stand for images which only the machine or the toolkit knows.
use super::super::capability::Image;
use super::super::tables::Toolkit;

/// Such a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `native`: the GPUs of the build machine.
    Native,
    /// `Auto`: likewise, with a fallback of the consumer's own where there is none.
    Auto,
    /// `all`: every target of the toolkit.
    All,
    /// `all-major`: one target for each major of the toolkit.
    AllMajor,
    /// `Common`: a list of the consumer's own.
    Common,
    /// `OFF`: the consumer passes no architecture to the compiler.
    Off,
}

/// What the word makes `toolkit` embed. `None` for those that a toolkit does not decide.
pub fn expand(special: Special, toolkit: &Toolkit) -> Option<Vec<Image>> {
    match special {
        Special::All => Some(toolkit.all()),
        Special::AllMajor => Some(toolkit.all_major()),
        Special::Off => Some(toolkit.default_images().to_vec()),
        Special::Native | Special::Auto | Special::Common => None,
    }
}

/// The word in any case, as consumers of which no more is known may take it.
pub(super) fn any_case(word: &str) -> Option<Special> {
    const WORDS: [(&str, Special); 5] = [
        ("native", Special::Native),
        ("auto", Special::Auto),
        ("all", Special::All),
        ("all-major", Special::AllMajor),
        ("common", Special::Common),
    ];
    let known = |(name, _): &&(&str, Special)| word.eq_ignore_ascii_case(name);
    WORDS.iter().find(known).map(|&(_, special)| special)
}
