//! The words for verdicts.
use crate::facts::Verdict;

/// The word for a verdict; a dash where there is none.
pub(super) fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Native) => "native",
        Some(Verdict::Jit) => "jit",
        Some(Verdict::Partial) => "partial",
        Some(Verdict::Missing) => "missing",
        Some(Verdict::Blocked) => "blocked",
        Some(Verdict::Unknown) => "unknown",
        None => "-",
    }
}

/// What a verdict means.
pub(super) fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Native => "every kernel has machine code",
        Verdict::Jit => "the driver compiles PTX at the first start",
        Verdict::Partial => "some kernels have nothing for it",
        Verdict::Missing => "nothing runs there",
        Verdict::Blocked => "its driver does not compile the PTX",
        Verdict::Unknown => "cannot be told, and is no pass",
    }
}

/// All of them, the best first.
pub(super) const ALL: [Verdict; 6] = [
    Verdict::Native,
    Verdict::Jit,
    Verdict::Partial,
    Verdict::Missing,
    Verdict::Blocked,
    Verdict::Unknown,
];
