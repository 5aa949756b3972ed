//! The names of the formats that every report can be written in.
use super::{Report, concise, github, gitlab, html, json, junit, markdown, sarif};
use clap::ValueEnum;
use std::io::{self, Write};

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, at a terminal; what it shows depends on the command.
    #[value(alias = "table")]
    Human,
    /// One line a finding.
    Concise,
    /// One object with everything.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// GitLab's code quality.
    Gitlab,
    /// JUnit's XML.
    Junit,
    /// A summary with a table of coverage.
    Markdown,
    /// One page that needs nothing else.
    Html,
}

impl Format {
    /// Every format.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Writes the report; `human` writes it for people.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(
        self,
        report: &Report,
        out: &mut dyn Write,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Human => human(out),
            Self::Concise => concise::write(report, out),
            Self::Json => json::write(report, out),
            Self::Sarif => sarif::write(report, out),
            Self::Github => github::write(report, out),
            Self::Gitlab => gitlab::write(report, out),
            Self::Junit => junit::write(report, out),
            Self::Markdown => markdown::write(report, out),
            Self::Html => html::write(report, out),
        }
    }
}
