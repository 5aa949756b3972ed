//! Steps of Azure Pipelines: scripts in their shells, the tasks that run scripts, templates.
use super::{PLACES_OF_SCRIPTS, macros};
use crate::facts::SetHow;
use crate::front::document::{Does, Statement};
use crate::front::node;
use crate::span::Span;
use crate::text::Problem;
use crate::text::mapped::Mapped;
use crate::text::word::Word;
use crate::text::yaml::{Entry, Node};

/// How the name of a template begins where a call names it.
pub const TEMPLATE: &str = "template:";

/// What holds for all steps of a job.
pub(super) struct Steps<'n> {
    /// The machine runs Windows.
    pub(super) windows: bool,
    pub(super) problems: &'n mut Vec<Problem>,
}

impl Steps<'_> {
    /// The steps of a list, each behind the conditions around it.
    pub(super) fn list(&mut self, list: &Node, gates: &[Word], out: &mut Vec<Statement>) {
        for item in list.items() {
            let span = item.span;
            if let Some(inserted) = item.scalar() {
                // steps that a parameter brings
                out.push(Statement {
                    action: Does::Call {
                        target: macros::text(inserted),
                        inputs: Vec::new(),
                    },
                    span,
                });
            }
            if let Some(entry) = conditional(item) {
                let gates: Vec<Word> = gates.iter().cloned().chain([compile_time(entry)]).collect();
                self.list(&entry.value, &gates, out);
            } else if let Some(checkout) = item.get("checkout") {
                if checkout.text() != Some("none") {
                    out.extend(node::checkout_named(&PLACES_OF_SCRIPTS, span));
                }
            } else if !item.entries().is_empty() {
                let step = self.step(item, gates);
                out.push(step);
            }
        }
    }

    fn step(&mut self, step: &Node, gates: &[Word]) -> Statement {
        let span = step.span;
        let mut actions: Vec<Does> = gates.iter().cloned().map(Does::Gate).collect();
        actions.extend(step.get("env").map(set));
        actions.extend(step.get("condition").map(condition));
        let inputs = step.get("inputs");
        let folder = step
            .get("workingDirectory")
            .or_else(|| inputs.and_then(|inputs| inputs.get("workingDirectory")));
        actions.extend(folder.map(|folder| Does::Chdir(macros::word(folder))));
        let shells = [
            ("script", if self.windows { "cmd" } else { "bash" }),
            ("bash", "bash"),
            ("pwsh", "pwsh"),
            ("powershell", "powershell"),
        ];
        let script = shells
            .iter()
            .find_map(|(key, shell)| Some((step.get(key)?.scalar()?, *shell)));
        if let Some((text, shell)) = script {
            actions.push(self.run(shell, text));
        } else if let Some(template) = step.get("template").and_then(Node::scalar) {
            let call = call(template, step);
            // what it leaves is there for the steps after it
            if gates.is_empty() {
                return Statement { action: call, span };
            }
            actions.push(call);
        } else if let Some(task) = step.get("task").and_then(Node::scalar) {
            actions.extend(self.task(task, inputs, folder.is_some()));
        }
        let body = actions
            .into_iter()
            .map(|action| Statement { action, span })
            .collect();
        let id = step.get("name").and_then(Node::text).map(str::to_owned);
        Statement {
            action: Does::Block { id, body },
            span,
        }
    }

    fn run(&mut self, shell: &str, text: &Mapped) -> Does {
        node::run_in(shell, &macros::script(text), self.problems)
    }

    /// The tasks that run scripts and build images; of others nothing is known.
    fn task(&mut self, task: &Mapped, inputs: Option<&Node>, has_folder: bool) -> Vec<Does> {
        let name = task.text().split('@').next().unwrap_or_default();
        let input = |key: &str| {
            let mut entries = inputs.map_or(&[][..], Node::entries).iter();
            let entry = entries.find(|e| e.name().is_some_and(|n| n.eq_ignore_ascii_case(key)))?;
            entry.value.scalar()
        };
        let is_inline =
            input("targetType").is_some_and(|t| t.text().eq_ignore_ascii_case("inline"));
        let is_container = |command: &str| matches!(command, "build" | "buildandpush");
        match name.to_ascii_lowercase().as_str() {
            "cmdline" => {
                let shell = if self.windows { "cmd" } else { "bash" };
                input("script")
                    .map(|s| self.run(shell, s))
                    .into_iter()
                    .collect()
            }
            "bash" if is_inline => input("script")
                .map(|s| self.run("bash", s))
                .into_iter()
                .collect(),
            "powershell" if is_inline => input("script")
                .map(|s| self.run("pwsh", s))
                .into_iter()
                .collect(),
            "bash" | "shellscript" => {
                let path = input("filePath").or_else(|| input("scriptPath"));
                let line = path.map(|path| {
                    self.line(
                        "bash ",
                        &[Some(path), input("arguments").or_else(|| input("args"))],
                    )
                });
                line.into_iter().collect()
            }
            "cmake" => {
                let folder = Word::of_text("build", task.span(0, name.len()));
                let folder = (!has_folder).then_some(Does::Chdir(folder));
                let line = self.line("cmake ", &[input("cmakeArgs")]);
                folder.into_iter().chain([line]).collect()
            }
            "docker"
                if input("command")
                    .is_none_or(|c| is_container(&c.text().to_ascii_lowercase())) =>
            {
                self.image(
                    input("Dockerfile"),
                    input("buildContext"),
                    input("arguments"),
                )
            }
            _ => vec![Does::Call {
                target: node::plain(task),
                inputs: Vec::new(),
            }],
        }
    }

    /// `docker build`; a Dockerfile that is looked for by a pattern is not known.
    fn image(
        &mut self,
        file: Option<&Mapped>,
        context: Option<&Mapped>,
        arguments: Option<&Mapped>,
    ) -> Vec<Does> {
        let Some(file) = file.filter(|file| !file.text().contains('*')) else {
            return Vec::new();
        };
        let folder = file.text().rfind('/').map(|end| file.slice(0..end));
        let context = context
            .filter(|context| !context.text().contains('*'))
            .cloned()
            .or(folder)
            .unwrap_or_else(|| Mapped::verbatim(".", file.origin(0)));
        vec![self.line(
            "docker build ",
            &[arguments, Some(&flag("--file=", file)), Some(&context)],
        )]
    }

    /// One line of a shell.
    fn line(&mut self, program: &str, words: &[Option<&Mapped>]) -> Does {
        let words: Vec<&Mapped> = words.iter().copied().flatten().collect();
        let from = words.first().map_or(0, |word| word.origin(0));
        let mut line = Mapped::default();
        line.push_all_from(program, from);
        for word in words {
            line.append(word, 0..word.text().len());
            line.push_all_from(" ", word.origin(0));
        }
        self.run("bash", &line)
    }
}

fn flag(name: &str, value: &Mapped) -> Mapped {
    let mut flag = Mapped::default();
    flag.push_all_from(name, value.origin(0));
    flag.append(value, 0..value.text().len());
    flag
}

/// `env:` of a step or a container.
pub(super) fn set(env: &Node) -> Does {
    Does::Set {
        assigns: node::assigns(env, macros::text),
        how: SetHow::ConfigEnv,
    }
}

/// A template with the parameters that `node` gives it.
pub(super) fn call(path: &Mapped, node: &Node) -> Does {
    let parameters = node.get("parameters");
    Does::Call {
        target: template_name(path),
        inputs: parameters.map_or_else(Vec::new, |p| node::assigns(p, macros::text)),
    }
}

/// What a call of a template names.
fn template_name(path: &Mapped) -> Word {
    let mut word = node::plain(path);
    let prefix = Word::of_text(TEMPLATE, word.span);
    word.parts.splice(0..0, prefix.parts);
    word
}

/// `${{ if … }}:`, `${{ else }}:` or `${{ each … }}:` with what it holds.
pub(super) fn conditional(item: &Node) -> Option<&Entry> {
    let entries = item.entries().iter();
    entries
        .clone()
        .find(|entry| entry.name().is_some_and(|name| name.starts_with("${{")))
}

/// Whether what follows such a key is there.
fn compile_time(entry: &Entry) -> Word {
    let key = entry.name().unwrap_or_default();
    let inner = key.trim_start_matches("${{").trim_end_matches("}}").trim();
    let text = match inner.strip_prefix("if ") {
        Some(condition) => format!("${{{{ {condition} }}}}"),
        None => inner.to_owned(),
    };
    Word::opaque(text, entry.key.span)
}

/// `condition:`, an expression without braces.
fn condition(node: &Node) -> Does {
    let text = node.text().unwrap_or_default().replace('\n', " ");
    Does::Gate(Word::opaque(format!("${{{{ {text} }}}}"), node.span))
}

/// What a variable is that a condition decides about.
pub(super) fn unknown(name: &str, span: Span) -> Word {
    Word::opaque(name.to_owned(), span)
}
