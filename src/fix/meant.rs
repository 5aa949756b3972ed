//! The architectures that somebody meant with a list that its reader does not take.
use crate::cuda::Target;
use crate::cuda::arch_list::Entry;

/// The targets of a list in any spelling: `8.0,9.0+PTX`, `80 90`, `sm_80;compute_90`. `None` if a word of it is none.
pub(super) fn meant(list: &str) -> Option<Vec<Entry>> {
    let words = list.split([',', ';', ' ', '|', ':']);
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    let mut entries: Vec<Entry> = Vec::new();
    for word in words {
        let entry = entry(word)?;
        match entries
            .iter_mut()
            .find(|known| known.target == entry.target)
        {
            Some(known) => {
                known.sass |= entry.sass;
                known.ptx |= entry.ptx;
            }
            None => entries.push(entry),
        }
    }
    (!entries.is_empty()).then_some(entries)
}

fn entry(word: &str) -> Option<Entry> {
    let lower = word.trim_matches(['"', '\'']).to_ascii_lowercase();
    let (number, ptx) = match lower.strip_suffix("+ptx") {
        Some(number) => (number, true),
        None => (&*lower, false),
    };
    let (number, only_ptx) = match number.strip_prefix("compute_") {
        Some(number) => (number, true),
        None => (number.strip_prefix("sm_").unwrap_or(number), false),
    };
    let target = if number.contains('.') {
        Target::from_dotted(number)
    } else {
        Target::from_undotted(number)
    };
    Some(Entry {
        target: target?,
        sass: !only_ptx,
        ptx: ptx || only_ptx,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::{Syntax, to_text};

    #[test]
    fn lists_in_any_spelling() {
        for (list, expected) in [
            ("8.0,9.0", Some("8.0;9.0")),
            ("80;90", Some("8.0;9.0")),
            ("sm_80 sm_90a", Some("8.0;9.0a")),
            ("sm_90,compute_90", Some("9.0+PTX")),
            ("8.0, 12.0+PTX;", Some("8.0;12.0+PTX")),
            ("\"8.0", Some("8.0")),
            ("120", Some("12.0")),
            ("Ampere", None),
            ("native", None),
            ("8.0;${MORE}", None),
            ("", None),
        ] {
            let text = meant(list).and_then(|entries| to_text(Syntax::Torch, &entries));
            assert_eq!(text.as_deref(), expected, "{list}");
        }
    }
}
