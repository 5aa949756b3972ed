//! Where a setting for a command can be written: words of the command, and in a Dockerfile a line of its own before the
//! instruction.
use super::layout::Layout;
use crate::facts::{Build, Edit, ShellSyntax};
use crate::span::Span;
use crate::text::dockerfile::{self, Args, Dockerfile, Instruction};

/// A command in a `RUN` of a Dockerfile, or in a script of a job.
pub(super) struct Anchor<'t> {
    text: &'t str,
    path: &'t str,
    /// The Dockerfile, and which of its instructions the command stands in.
    run: Option<(&'t Dockerfile, &'t Instruction)>,
    /// The command's words.
    command: Span,
    /// The shell that reads them.
    shell: ShellSyntax,
}

impl<'t> Anchor<'t> {
    /// The place of a build in a Dockerfile, or in a file of another format; `None` where nothing can be written for it.
    pub(super) fn of(
        text: &'t str,
        file: Option<&'t Dockerfile>,
        build: &'t Build,
    ) -> Option<Self> {
        let command = build.span.span();
        let is_run = |i: &&Instruction| i.keyword == "RUN" && i.span.contains(command);
        let run = match file {
            Some(file) => Some((file, file.instructions.iter().find(is_run)?)),
            None => None,
        };
        Some(Self {
            text,
            path: &build.path,
            run,
            command,
            shell: build.shell,
        })
    }

    /// Whether the file is of a format in which a value without quotes may be a number.
    pub(super) fn has_numbers(&self) -> bool {
        self.run.is_none()
    }

    /// Writes an instruction on a line of its own before the one that holds the command, in the file's own style: below what
    /// stands above, except for comments, which belong to the instruction that follows them.
    pub(super) fn line_before(&self, keyword: &str, rest: &str) -> Option<Edit> {
        let (file, instruction) = self.run?;
        let layout = Layout(self.text);
        // something else than spaces stands before the keyword: not a line that is known
        let indent = layout.indent(instruction.span.start as usize)?;
        let own = layout.line_start(instruction.span.start as usize);
        let start = self.above_comments(file, own);
        let written = self.text.get(instruction.keyword_span.range())?;
        let keyword = if written.chars().all(char::is_lowercase) {
            keyword.to_lowercase()
        } else {
            keyword.to_owned()
        };
        let end = layout.line_end();
        Some(self.edit(start, 0, format!("{indent}{keyword} {rest}{end}")))
    }

    /// Takes a whole instruction out, its line break included.
    pub(super) fn without(&self, span: Span) -> Option<Edit> {
        let is_it = |i: &&Instruction| i.span.contains(span);
        let (file, _) = self.run?;
        let instruction = file.instructions.iter().find(is_it)?;
        // others would go with it
        if !matches!(&instruction.args, Args::Pairs(pairs) if pairs.len() == 1) {
            return None;
        }
        let layout = Layout(self.text);
        let start = layout.line_start(instruction.span.start as usize);
        let length = layout.next_line(instruction.span.end as usize) - start;
        Some(self.edit(start, length, String::new()))
    }

    /// Sets a variable for the command, in the way of its shell: by a word before it, behind a `sudo`, which keeps what stands
    /// before it to itself; by a statement before it for PowerShell, and by a line of its own for the command prompt.
    pub(super) fn set_before_command(&self, name: &str, value: &str) -> Option<Edit> {
        self.in_shell()?;
        let start = self.command.start as usize;
        let layout = Layout(self.text);
        let indent = layout.indent(start);
        let end = layout.line_end();
        match (self.shell, indent) {
            (ShellSyntax::Posix, _) => {
                let command = self.text.get(self.command.range())?;
                let sudo = command
                    .strip_prefix("sudo ")
                    .filter(|rest| !rest.starts_with(['-', ' ']));
                let at = start + sudo.map_or(0, |rest| command.len() - rest.len());
                Some(self.edit(at, 0, format!("{name}=\"{value}\" ")))
            }
            (ShellSyntax::Pwsh, Some(indent)) => {
                Some(self.edit(start, 0, format!("$env:{name} = \"{value}\"{end}{indent}")))
            }
            (ShellSyntax::Pwsh, None) => {
                Some(self.edit(start, 0, format!("$env:{name} = \"{value}\"; ")))
            }
            (ShellSyntax::Cmd, Some(indent)) => {
                Some(self.edit(start, 0, format!("set {name}={value}{end}{indent}")))
            }
            (ShellSyntax::Cmd, None) => None,
        }
    }

    /// Writes words after the last one of the command.
    pub(super) fn after_command(&self, words: &str) -> Option<Edit> {
        self.in_shell()?;
        Some(self.edit(self.command.end as usize, 0, format!(" {words}")))
    }

    /// Writes more into the quoted value of a variable in the same instruction.
    pub(super) fn within_value(&self, name: &str, words: &str) -> Option<Edit> {
        self.in_shell()?;
        let span = self.run?.1.span;
        let text = self
            .text
            .get(span.start as usize..self.command.start as usize)?;
        let start = text.rfind(&format!("{name}=\""))? + name.len() + 2;
        let end = start + text.get(start..)?.find('"')?;
        let at = span.start as usize + end;
        Some(self.edit(at, 0, format!(" {words}")))
    }

    /// Whether words of the command can be written: they stand neither inside of quotes nor in a text with rules of its own.
    fn in_shell(&self) -> Option<()> {
        let in_heredoc = |heredoc: &dockerfile::Heredoc| heredoc.span.contains(self.command);
        let quoted = |at: usize| {
            let before = self.text.get(..at).and_then(|t| t.chars().next_back());
            matches!(before, Some('"' | '\'' | '`'))
        };
        let plain = match self.run {
            Some((_, instruction)) => {
                matches!(instruction.args, Args::Shell)
                    && !instruction.heredocs.iter().any(in_heredoc)
            }
            None => true,
        };
        (plain && !quoted(self.command.start as usize)).then_some(())
    }

    /// The start of the comment lines right above a line; the line's own start where they reach the top of the file, since
    /// parser directives may be among them.
    fn above_comments(&self, file: &Dockerfile, line: usize) -> usize {
        let layout = Layout(self.text);
        let mut start = line;
        while start > 0 {
            let above = layout.line_start(start - 1);
            let is_comment = |comment: &dockerfile::Comment| {
                layout.line_start(comment.span.start as usize) == above
            };
            if !file.comments.iter().any(is_comment) {
                return start;
            }
            start = above;
        }
        line
    }

    /// An edit of the file.
    pub(super) fn edit(&self, offset: usize, length: usize, text: String) -> Edit {
        let span = Span::new(offset, offset + length);
        Edit {
            path: self.path.to_owned(),
            offset: span.start,
            length: span.end - span.start,
            text,
        }
    }
}
