//! Members as files of their own, for whoever needs the bytes of device code and not only what they are.
use super::content::Content;
use super::context::Context;
use super::{map, read, summary};
use crate::facts::{Artifact, ArtifactKind, ArtifactProblem};
use std::io;
use std::path::Path;

/// Copies a member into `folder` and reads it there. A file without device code is taken away again.
pub(super) fn read(
    content: Content,
    folder: &Path,
    depth: u32,
    context: &Context,
) -> Vec<Artifact> {
    let size = content.size().unwrap_or(0);
    unpacked(content, folder, depth, context).unwrap_or_else(|error| {
        let problem = ArtifactProblem::whole(format!("cannot be unpacked: {error}"));
        vec![summary::unreadable(ArtifactKind::Other, size, problem)]
    })
}

fn unpacked(
    content: Content,
    folder: &Path,
    depth: u32,
    context: &Context,
) -> io::Result<Vec<Artifact>> {
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut content.into_reader(None), &mut file)?;
    let bytes = map::map(file.as_file())?;
    let in_place = Context {
        unpack_to: None,
        ..*context
    };
    let mut found = read::read(Content::Bytes(&bytes), depth, &in_place);
    if found.iter().any(|artifact| !artifact.places.is_empty()) {
        let (_, path) = file.keep().map_err(|error| error.error)?;
        for artifact in &mut found {
            artifact.unpacked = Some(path.clone());
        }
    }
    Ok(found)
}
