//! What the readers find in one file, in file order.
use super::limits::MAX_IMAGES;
use crate::cuda::{Capability, Image, ImageKind, PtxIsa, Suffix, Target};
use crate::facts::ArtifactProblem;
use std::collections::BTreeSet;

/// The device code of one file.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Containers (and loose images) where the CUDA runtime looks for them.
    pub(super) containers: Vec<Container>,
    /// Those elsewhere.
    pub(super) outside: Vec<Container>,
    /// What could not be read.
    pub(super) errors: Vec<ArtifactProblem>,
    /// What is worth knowing.
    pub(super) notes: Vec<ArtifactProblem>,
    /// A list of architectures that stands in it as text.
    pub(super) states: String,
    images: usize,
}

impl Listing {
    /// Adds an error at an offset; past a hundred only the count would grow, so they are dropped.
    pub(super) fn error(&mut self, offset: u64, message: impl Into<String>) {
        if self.errors.len() < 100 {
            self.errors.push(ArtifactProblem::at(offset, message));
        }
    }

    /// Adds a note at an offset.
    pub(super) fn note(&mut self, offset: u64, message: impl Into<String>) {
        if self.notes.len() < 100 {
            self.notes.push(ArtifactProblem::at(offset, message));
        }
    }

    /// Adds a container with its errors; `false` once there are too many images.
    pub(super) fn add(&mut self, mut container: Container, outside: bool) -> bool {
        self.images += container.images.len().max(1);
        if self.images > MAX_IMAGES {
            self.error(container.offset, format!("more than {MAX_IMAGES} images"));
            return false;
        }
        for problem in container.errors.drain(..) {
            if self.errors.len() < 100 {
                self.errors.push(problem);
            }
        }
        for problem in container.notes.drain(..) {
            if self.notes.len() < 100 {
                self.notes.push(problem);
            }
        }
        if outside {
            self.outside.push(container);
        } else {
            self.containers.push(container);
        }
        true
    }
}

/// One fatbin container, or one image that stands alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Container {
    /// Byte offset of its first byte.
    pub(super) offset: u64,
    /// Byte offset just past it.
    pub(super) end: u64,
    /// Offset of the first byte past it that is not zero, where a scan looked.
    pub(super) clear_to: u64,
    /// Whether it is a fatbin container rather than a loose image.
    pub(super) fatbin: bool,
    /// Its images in file order.
    pub(super) images: Vec<Image>,
    /// The bytes that each of them takes in the file, as they are stored.
    pub(super) bytes: Vec<u64>,
    /// Names of source files (`fatbinary -ident`), with the index of their image.
    pub(super) sources: Vec<(usize, String)>,
    /// It also holds something that is damaged or of a kind not known.
    pub(super) incomplete: bool,
    /// Whether it lies in a section of relocatable code.
    pub(super) relocatable: bool,
    /// Which of its images lie in groups.
    pub(super) grouped: Vec<usize>,
    /// The names of its kernels, where they were asked for and could be read.
    pub(super) kernels: Option<BTreeSet<String>>,
    /// The damage.
    pub(super) errors: Vec<ArtifactProblem>,
    /// What is not damage.
    pub(super) notes: Vec<ArtifactProblem>,
}

impl Container {
    /// A loose image.
    pub(super) fn loose(offset: u64, end: u64, image: Image) -> Self {
        Self {
            offset,
            end,
            images: vec![image],
            bytes: vec![end.saturating_sub(offset)],
            ..Self::default()
        }
    }

    /// The images that every driver sees, and those in groups.
    pub(super) fn by_group(&self) -> (Vec<Image>, Vec<Image>) {
        let (grouped, plain): (Vec<_>, Vec<_>) = (0..)
            .zip(&self.images)
            .partition(|(n, _)| self.grouped.contains(n));
        let images = |with_places: Vec<(usize, &Image)>| {
            with_places.into_iter().map(|(_, &image)| image).collect()
        };
        (images(plain), images(grouped))
    }

    /// Notes damage at an offset.
    pub(super) fn damage(&mut self, offset: u64, message: impl Into<String>) {
        self.incomplete = true;
        self.errors.push(ArtifactProblem::at(offset, message));
    }
}

/// The image of an architecture number and a suffix; `None` for a number that is no architecture.
pub(super) fn image(
    kind: ImageKind,
    number: u32,
    suffix: Suffix,
    isa: Option<PtxIsa>,
) -> Option<Image> {
    Some(Image {
        kind,
        target: Target {
            capability: Capability::from_number(number)?,
            suffix,
        },
        ptx_isa: isa,
    })
}
