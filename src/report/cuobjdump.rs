//! The lines of `cuobjdump --list-elf --list-ptx`, for scripts that switch.
use crate::cuda::{Image, ImageKind, Suffix};
use crate::facts::{Artifact, Listed};
use std::io::{self, Write};
use std::path::{Path, absolute};

/// Writes the lines of every artifact, which must have been read with its listing.
/// As there, `f` is not named for machine code, and LTO is left out.
pub fn write(artifacts: &[Artifact], out: &mut dyn Write) -> io::Result<()> {
    for artifact in artifacts {
        let inside = if artifact.member.is_empty() {
            &artifact.path
        } else {
            &artifact.member
        };
        let stem = file_stem(inside);
        // Relative paths are put behind the working folder and not shortened otherwise.
        let path = absolute(&artifact.path).unwrap_or_else(|_| artifact.path.clone().into());
        let path = path.display();
        if !artifact.member.is_empty() {
            writeln!(out, "\nmember {path}:{}:", artifact.member)?;
        }
        let loose = artifact.containers == 0;
        let mut counts = [0_u64; 2];
        for listed in &artifact.listing {
            if !listed.member.is_empty() {
                writeln!(out, "\nmember {path}:{}:", listed.member)?;
            }
            write_images(listed, &stem, loose, &mut counts, out)?;
        }
    }
    Ok(())
}

fn write_images(
    listed: &Listed,
    stem: &str,
    loose: bool,
    [elf, ptx]: &mut [u64; 2],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (image, source) in &listed.images {
        let (title, count, ending) = match image.kind {
            ImageKind::Sass => ("ELF", &mut *elf, "cubin"),
            ImageKind::Ptx => ("PTX", &mut *ptx, "ptx"),
            ImageKind::Lto => continue,
        };
        *count += 1;
        let name = match source {
            // An image with a source file is named after it, without a number.
            Some(source) => file_stem(source),
            None if loose => stem.to_owned(),
            None => format!("{stem}.{count}"),
        };
        writeln!(
            out,
            "{title} file {count:>4}: {name}.sm_{}.{ending}",
            arch(image)
        )?;
    }
    Ok(())
}

fn file_stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn arch(image: &Image) -> String {
    let mut target = image.target;
    if image.kind == ImageKind::Sass && target.suffix == Suffix::Family {
        target.suffix = Suffix::None;
    }
    target.undotted()
}
