//! What a walk gives: commands that may build, settings, stages.
use super::settings::{Setting, Settings};
use super::state::State;
use crate::actions::{Action, Installed};
use crate::cuda::Device;
use crate::facts::ProblemKind;
use crate::front::document::Unit;
use crate::knowledge::Cpu;
use crate::knowledge::images::ImageFacts;
use crate::knowledge::own::OwnImage;
use crate::span::Span;
use crate::table::{List, Text};
use crate::value::{Site, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the caller of the tool says about the build.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// `--build-arg N=V`.
    pub build_args: BTreeMap<String, String>,
    /// `--env N=V`.
    pub env: BTreeMap<String, String>,
    /// `--target`: only this stage and what it stands on.
    pub target: Option<String>,
    /// `--cuda 12.4`: nvcc's version, whatever the base says.
    pub cuda: Option<String>,
    /// The build context, by its path in the repository, where the caller is known.
    pub context: Option<String>,
    /// `--platform linux/arm64`.
    pub platform: Option<String>,
    /// Base images that the user describes.
    pub images: List<OwnImage>,
    /// Base images that the repository builds itself.
    pub built: Vec<BuiltImage>,
    /// Labels of machines with a GPU that the user describes.
    pub runners: Vec<(Text, Device)>,
}

impl Given {
    /// The CPU that is built for.
    pub fn cpu(&self) -> Cpu {
        match self.platform.as_deref() {
            Some(platform) if platform.contains("arm64") || platform.contains("aarch64") => {
                Cpu::Arm
            }
            _ => Cpu::X86,
        }
    }
}

/// An image that the repository builds itself.
#[derive(Clone, Debug)]
pub struct BuiltImage {
    /// The reference, as it is written where the image is used.
    pub reference: String,
    /// What the Dockerfile makes of it.
    pub facts: ImageFacts,
}

/// A command that may build, with the state it runs in.
#[derive(Clone, Debug)]
pub struct Step {
    /// The command.
    pub action: Action,
    /// The state before it.
    pub state: State,
    /// Its words.
    pub site: Site,
    /// The commands that lead there, where it stands in another file than the linted one: the first is in the linted one.
    pub calls: Vec<Site>,
    /// The whole instruction.
    pub instruction: Span,
    /// Index of the stage in [`Walked::scopes`].
    pub scope: usize,
    /// Counts the statements of the document: what is set later has a higher one.
    pub order: u32,
    /// Its failure does not stop the build.
    pub swallowed: bool,
    /// It runs only under conditions that could not be decided.
    pub arms: Rc<Vec<Arm>>,
    /// It runs once per alternative of a variable, and this is one of several.
    pub alternative: bool,
    /// The id of the builder that a comment declares.
    pub hint: Option<Rc<str>>,
}

impl Step {
    /// The command of the linted file: itself, or the one that leads to it.
    pub fn root(&self) -> Site {
        self.calls.first().copied().unwrap_or(self.site)
    }
}

/// An arm of an undecided condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Which condition.
    pub group: u32,
    /// Which arm of it.
    pub index: u32,
    /// How many arms it has, the empty ones included.
    pub of: u32,
}

/// A stage as it was walked.
#[derive(Clone, Debug)]
pub struct WalkedScope {
    /// Its name.
    pub title: String,
    /// Index of the stage or job in the document; a job is walked once for all worlds that nothing in it tells apart.
    pub written: usize,
    /// The worlds that it stands for, in order; at least one.
    pub worlds: Vec<WalkedWorld>,
    /// The stage it starts from.
    pub parent: Option<usize>,
    /// The image it starts from, after expansion.
    pub image: Value,
    /// The word that names the image.
    pub image_site: Site,
    /// Its state at the start.
    pub start: State,
    /// Its state at the end.
    pub end: State,
}

impl WalkedScope {
    /// The names of the first of its worlds.
    pub fn first_world(&self) -> &[(String, String)] {
        self.worlds.first().map_or(&[], |world| &world.names)
    }
}

/// A world that a stage or job was walked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedWorld {
    /// Counts the worlds of the document in their order.
    pub number: usize,
    /// What tells it from the others: `cuda` and `12.4`; empty where there is only one.
    pub names: Vec<(String, String)>,
}

/// A command that installs torch, or a library of it.
#[derive(Clone, Debug)]
pub struct TorchInstall {
    /// What it installs.
    pub installed: Installed,
    /// Its words.
    pub site: Site,
    /// The stage.
    pub scope: usize,
    /// It runs, whatever is not known.
    pub sure: bool,
}

/// A place that was not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub site: Site,
    /// What it means for the answer.
    pub kind: ProblemKind,
    /// In words, without a final full stop.
    pub message: String,
}

/// What a command that builds an image gives to the Dockerfile.
#[derive(Clone, Debug)]
pub struct Lent {
    /// The Dockerfile, by its path in the repository, as far as known.
    pub file: Option<String>,
    /// The build context, the same way.
    pub context: Option<String>,
    /// The stage.
    pub target: Option<String>,
    /// The platform.
    pub platform: Option<String>,
    /// The build arguments.
    pub args: Vec<(String, Value)>,
    /// What the image is called, as far as known: a `?` stands for what is not.
    pub tags: Vec<String>,
    /// The command.
    pub site: Site,
    /// The job.
    pub scope: usize,
    /// The row of the matrix in the file that describes the image.
    pub row: Vec<(String, String)>,
}

/// An image that a command builds as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DescribedImage {
    /// The file, by its path in the repository.
    pub path: String,
    /// How the image is called there.
    pub name: String,
}

/// What a document does.
#[derive(Clone, Debug, Default)]
pub struct Walked {
    /// The commands that may build.
    pub steps: Vec<Step>,
    /// The commands that install torch.
    pub torches: Vec<TorchInstall>,
    /// Where torchvision and torchaudio were installed.
    pub torch_libraries: Vec<TorchInstall>,
    /// The settings.
    pub settings: Settings,
    /// The stages.
    pub scopes: Vec<WalkedScope>,
    /// Defaults of build arguments, and what is set under a condition that one decides: whoever builds may have it otherwise.
    pub overridable: Vec<Site>,
    /// Words such as `90` that the shell runs as commands.
    pub strays: Vec<(Site, String)>,
    /// What was not followed.
    pub notes: Vec<Note>,
    /// The images that are built from Dockerfiles.
    pub lent: Vec<Lent>,
    /// The images that commands build as files describe them.
    pub described: Vec<DescribedImage>,
    /// The stages from which others copy Python packages, each with the one that does.
    pub environments: Vec<(usize, usize)>,
    /// What the scopes are.
    pub unit: Unit,
}

impl Walked {
    /// Whether a setting tells what scope `scope` is about: all of a Dockerfile do, and a job's own.
    pub fn is_near(&self, setting: &Setting, scope: usize) -> bool {
        self.unit == Unit::Stage || setting.scope.is_none_or(|other| other == scope)
    }

    /// Whether a setting may have been meant for scope `scope`: all of a Dockerfile; of jobs, not those of its other worlds.
    pub fn may_be_for(&self, setting: &Setting, scope: usize) -> bool {
        let written = |s: usize| self.scopes.get(s).map(|s| s.written);
        let other_job = |other: usize| written(other) != written(scope);
        self.is_near(setting, scope) || setting.scope.is_some_and(other_job)
    }

    /// Items with their scopes, each once for every world of its scope, in the order of the worlds.
    pub fn in_every_world<T: Copy>(
        &self,
        items: impl Iterator<Item = (usize, T)>,
    ) -> Vec<(&WalkedWorld, T)> {
        let mut all: Vec<(&WalkedWorld, T)> = Vec::new();
        for (scope, item) in items {
            let worlds = self.scopes.get(scope).map_or(&[][..], |s| &s.worlds);
            all.extend(worlds.iter().map(|world| (world, item)));
        }
        all.sort_by_key(|(world, _)| world.number);
        all
    }

    /// The scope that was walked last, as far as the order of the worlds goes.
    pub fn last(&self) -> Option<usize> {
        let scopes = self.scopes.iter().enumerate();
        let last = scopes.max_by_key(|(_, scope)| scope.worlds.last().map(|world| world.number));
        last.map(|(index, _)| index)
    }

    /// Whether stage `scope` is, or inherits from, stage `ancestor`.
    pub fn inherits(&self, scope: usize, ancestor: usize) -> bool {
        let mut at = Some(scope);
        while let Some(index) = at {
            if index == ancestor {
                return true;
            }
            at = self.scopes.get(index).and_then(|s| s.parent);
        }
        false
    }
}
