//! A list of architectures on the command line.
use crate::cuda::Image;
use crate::cuda::ImageKind;
use crate::cuda::arch_list::{Consumer, Entry, Syntax, parse};

/// The images that a list names, as torch, CMake or nvcc would read it.
pub(super) fn images(text: &str) -> Result<Vec<Image>, String> {
    let syntax = if text.contains("arch=") || text.trim_start().starts_with('-') {
        Syntax::Flags
    } else if text.contains("sm_") || text.contains("compute_") {
        Syntax::Names
    } else if text.contains('.') {
        Syntax::Torch
    } else {
        Syntax::Cmake
    };
    let parsed = parse(syntax, text, &Consumer::default());
    if let Some(fault) = parsed.faults.first() {
        return Err(format!("`{}`: {}", fault.token.text, fault.reason));
    }
    if let Some((_, token)) = parsed.specials.first() {
        return Err(format!(
            "`{}` names no architectures of its own",
            token.text
        ));
    }
    if parsed.images.is_empty() {
        return Err("no architecture is in it".to_owned());
    }
    Ok(parsed.images)
}

/// The same, by target.
pub(super) fn entries(images: &[Image]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for image in images {
        let (sass, ptx) = (image.kind == ImageKind::Sass, image.kind == ImageKind::Ptx);
        match entries
            .iter_mut()
            .find(|entry| entry.target == image.target)
        {
            Some(entry) => {
                entry.sass |= sass;
                entry.ptx |= ptx;
            }
            None => entries.push(Entry {
                target: image.target,
                sass,
                ptx,
            }),
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::arch_list::to_text;

    #[test]
    fn lists_are_read_as_they_are_written() {
        for (text, expected) in [
            ("8.0;9.0+PTX", "sm_80 sm_90 compute_90"),
            ("80-real;90a-real", "sm_80 sm_90a"),
            ("sm_80 compute_90", "sm_80 compute_90"),
            ("-gencode arch=compute_80,code=sm_80", "sm_80"),
        ] {
            let words: Vec<String> = images(text)
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect();
            assert_eq!(words.join(" "), expected, "{text}");
        }
        for bad in ["", "8,0", "native", "8.0;x"] {
            assert!(images(bad).is_err(), "{bad}");
        }
        let entries = entries(&images("8.0;9.0+PTX").unwrap());
        assert_eq!(
            to_text(Syntax::Torch, &entries).as_deref(),
            Some("8.0;9.0+PTX")
        );
    }
}
