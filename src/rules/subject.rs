//! A fact as the engine sees it: its fields as template values, and where findings about it point.
use super::rule::On;
use crate::facts::{
    Artifact, BaseImage, Build, Compiles, Confidence, Input, Install, LoadedArtifact, Probe,
    Program, Setting, SuppressionFault, Unreadable,
};
use crate::span::Place;
use minijinja::Value;
use serde::Serialize;

/// A fact that rules look at.
pub(super) struct Subject<'f> {
    pub(super) on: On,
    pub(super) value: Value,
    pub(super) path: &'f str,
    /// `None` for a fact about a whole file.
    pub(super) span: Option<Place>,
    pub(super) instruction: Option<Place>,
    pub(super) builder: Option<&'f str>,
    pub(super) worlds: &'f [String],
    pub(super) confidence: Confidence,
    pub(super) compiles: Compiles,
}

impl<'f> Subject<'f> {
    /// A fact that says nothing about a build: certain.
    fn plain(on: On, fact: &'f impl Serialize, path: &'f str, span: Option<Place>) -> Self {
        Self {
            on,
            value: Value::from_serialize(fact),
            path,
            span,
            instruction: None,
            builder: None,
            worlds: &[],
            confidence: Confidence::Certain,
            compiles: Compiles::No,
        }
    }
}

impl<'f> From<&'f Build> for Subject<'f> {
    fn from(build: &'f Build) -> Self {
        Self {
            instruction: Some(build.instruction),
            builder: Some(&build.builder),
            worlds: &build.worlds,
            confidence: match build.compiles {
                Compiles::Maybe => Confidence::Likely,
                Compiles::Yes | Compiles::No => build.confidence,
            },
            compiles: build.compiles,
            ..Self::plain(On::Build, build, &build.path, Some(build.span))
        }
    }
}

impl<'f> From<&'f Setting> for Subject<'f> {
    fn from(setting: &'f Setting) -> Self {
        Self::plain(On::Setting, setting, &setting.path, Some(setting.span))
    }
}

impl<'f> From<&'f Install> for Subject<'f> {
    fn from(install: &'f Install) -> Self {
        Self {
            confidence: install.confidence,
            ..Self::plain(On::Install, install, &install.path, Some(install.span))
        }
    }
}

impl<'f> From<&'f BaseImage> for Subject<'f> {
    fn from(image: &'f BaseImage) -> Self {
        Self::plain(On::Image, image, &image.path, Some(image.span))
    }
}

impl<'f> From<&'f Probe> for Subject<'f> {
    fn from(probe: &'f Probe) -> Self {
        Self::plain(On::Probe, probe, &probe.path, None)
    }
}

impl<'f> From<&'f LoadedArtifact> for Subject<'f> {
    fn from(load: &'f LoadedArtifact) -> Self {
        Self::plain(On::Load, load, &load.path, None)
    }
}

impl<'f> From<&'f Program> for Subject<'f> {
    fn from(program: &'f Program) -> Self {
        Self::plain(On::Program, program, &program.path, None)
    }
}

impl<'f> From<&'f Artifact> for Subject<'f> {
    fn from(artifact: &'f Artifact) -> Self {
        Self::plain(On::Artifact, artifact, &artifact.path, None)
    }
}

impl<'f> From<&'f Input> for Subject<'f> {
    fn from(input: &'f Input) -> Self {
        Self::plain(On::Input, input, &input.path, None)
    }
}

impl<'f> From<&'f Unreadable> for Subject<'f> {
    fn from(unreadable: &'f Unreadable) -> Self {
        Self::plain(On::Unreadable, unreadable, &unreadable.path, None)
    }
}

impl<'f> From<&'f SuppressionFault> for Subject<'f> {
    fn from(fault: &'f SuppressionFault) -> Self {
        Self::plain(On::Suppression, fault, &fault.path, Some(fault.span))
    }
}
