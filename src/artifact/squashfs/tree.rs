//! The folders of an image, one after the other.
use super::super::context::Context;
use super::super::limits::MAX_MEMBERS;
use super::super::names;
use super::Image;
use super::file::{self, File};
use super::metadata::{Cursor, Place};
use crate::facts::ArtifactProblem;
use std::collections::HashSet;

/// Problems that are told of one image.
const TOLD: usize = 100;
/// What a listing counts for `.` and `..`, in bytes.
const DOTS: u32 = 3;

/// A folder that is still to be read.
struct Folder {
    path: String,
    listing: Place,
    /// Bytes of its listing.
    size: u32,
}

/// What an inode is.
enum Node {
    Folder(Place, u32),
    File(File),
    Other,
}

/// One line of a listing.
struct Line {
    inode: Place,
    name: Vec<u8>,
}

/// Visits every file of an image; what could not be read.
pub(super) fn walk(
    image: &Image,
    context: &Context,
    mut visit: impl FnMut(String, File),
) -> Vec<ArtifactProblem> {
    let mut walk = Walk {
        image,
        context,
        folders: Vec::new(),
        seen: HashSet::new(),
        members: 0,
    };
    let mut problems = Vec::new();
    if let Err(problem) = walk.root() {
        problems.push(problem);
    }
    while let Some(folder) = walk.folders.pop() {
        let first_below = walk.folders.len();
        if let Err(problem) = walk.folder(&folder, &mut visit) {
            problems.push(problem);
        }
        // The last one is read next: they come in the order of their names.
        if let Some(below) = walk.folders.get_mut(first_below..) {
            below.reverse();
        }
        if problems.len() >= TOLD || walk.members > MAX_MEMBERS {
            break;
        }
    }
    problems
}

struct Walk<'i> {
    image: &'i Image<'i>,
    context: &'i Context<'i>,
    folders: Vec<Folder>,
    /// Folders that were met: a second time is a loop.
    seen: HashSet<Place>,
    members: usize,
}

impl Walk<'_> {
    fn root(&mut self) -> Result<(), ArtifactProblem> {
        let place = self
            .image
            .inode(self.image.root >> 16, self.image.root as u16);
        let mut inodes = Cursor::at(place, self.image, self.context.budget)?;
        self.meet(String::new(), place, &mut inodes, &mut |_, _| {})
    }

    fn folder(
        &mut self,
        folder: &Folder,
        visit: &mut impl FnMut(String, File),
    ) -> Result<(), ArtifactProblem> {
        let Some(mut left) = folder.size.checked_sub(DOTS).filter(|&size| size > 0) else {
            return Ok(());
        };
        let (image, budget) = (self.image, self.context.budget);
        let mut listing = Cursor::at(folder.listing, image, budget)?;
        let mut inodes: Option<Cursor> = None;
        while left > 0 {
            let (lines, start) = (listing.u32()?, listing.u32()?);
            listing.skip(4)?;
            left = left.saturating_sub(12);
            for _ in 0..=lines {
                let Line { inode, name } = line(&mut listing, image, start, &mut left)?;
                self.members += 1;
                if self.members > MAX_MEMBERS {
                    let problem = format!("more than {MAX_MEMBERS} members");
                    return Err(ArtifactProblem::at(inode.block, problem));
                }
                let name = names::member(&name)
                    .map_err(|problem| ArtifactProblem::at(inode.block, problem))?;
                let path = match folder.path.as_str() {
                    "" => name,
                    folder => format!("{folder}/{name}"),
                };
                let inodes = match &mut inodes {
                    Some(inodes) => inodes,
                    none => none.insert(Cursor::at(inode, image, budget)?),
                };
                self.meet(path, inode, inodes, visit)?;
            }
        }
        Ok(())
    }

    /// Looks at what a line names.
    fn meet(
        &mut self,
        path: String,
        place: Place,
        inodes: &mut Cursor,
        visit: &mut impl FnMut(String, File),
    ) -> Result<(), ArtifactProblem> {
        inodes.seek(place)?;
        match node(place, inodes, self.image)? {
            Node::File(file) => visit(path, file),
            Node::Folder(listing, size) => {
                let fail = |why: String| Err(ArtifactProblem::at(place.block, why));
                if !self.seen.insert(place) {
                    return fail(format!("the folder {path} is in itself or in two others"));
                }
                if !self.context.hold(path.len() as u64) {
                    return fail("its folders have too many and too long names".to_owned());
                }
                self.folders.push(Folder {
                    path,
                    listing,
                    size,
                });
            }
            Node::Other => {}
        }
        Ok(())
    }
}

fn line(
    listing: &mut Cursor,
    image: &Image,
    start: u32,
    left: &mut u32,
) -> Result<Line, ArtifactProblem> {
    let byte = listing.u16()?;
    listing.skip(4)?;
    let length = u32::from(listing.u16()?) + 1;
    *left = left.saturating_sub(8 + length);
    Ok(Line {
        inode: image.inode(u64::from(start), byte),
        name: listing.bytes(length as usize)?,
    })
}

/// Reads the inode that begins at `place`, where the cursor stands.
fn node(place: Place, inodes: &mut Cursor, image: &Image) -> Result<Node, ArtifactProblem> {
    let kind = inodes.u16()?;
    inodes.skip(14)?;
    Ok(match kind {
        1 => {
            let block = inodes.u32()?;
            inodes.skip(4)?;
            let size = u32::from(inodes.u16()?);
            Node::Folder(image.listing(block, inodes.u16()?), size)
        }
        8 => {
            inodes.skip(4)?;
            let size = inodes.u32()?;
            let block = inodes.u32()?;
            inodes.skip(6)?;
            Node::Folder(image.listing(block, inodes.u16()?), size)
        }
        file::BASIC | file::EXTENDED => Node::File(File::read(kind, place, inodes)?),
        _ => Node::Other,
    })
}
