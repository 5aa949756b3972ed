//! Facts and rules make findings.
use super::exclusive::keep_one;
use super::grade::grade;
use super::judged::{Judged, add_command, add_related, in_order};
use super::policy::{Level, Policy};
use super::rule::{Head, Rule};
use super::scope::Allowed;
use super::subject::Subject;
use super::words::{Condition, Message};
use crate::facts::{Build, Confidence, Facts, Finding, Related, Role, Severity};
use crate::span::Place;
use minijinja::Value;
use minijinja::value::ValueKind;
use std::collections::HashMap;

/// Where a rule's documentation is found.
const DOCS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/rules/");

/// A rule failed on a fact: its texts compute something that cannot be computed.
#[derive(Debug, thiserror::Error)]
#[error("rule {code} fails: {error}")]
pub struct JudgeError {
    /// The rule.
    pub code: &'static str,
    /// Why.
    pub error: minijinja::Error,
}

/// Rules ready to judge; each text is compiled when it is first needed.
pub struct RuleSet {
    rules: Vec<Compiled>,
}

struct Compiled {
    rule: &'static Rule,
    head: Head,
    each: Option<Condition>,
    once: Option<Condition>,
    when: Condition,
    severity: Vec<(Severity, Condition)>,
    /// What the user wants in place of the severity.
    level: Option<Level>,
    message: Message,
    help: Option<Message>,
    related: Vec<(Role, Condition, Message)>,
}

impl RuleSet {
    /// A set of checked rules.
    pub fn new(rules: impl IntoIterator<Item = &'static Rule>) -> Self {
        let heads = |rule: &'static Rule| rule.heads().map(move |head| Compiled::new(rule, head));
        Self {
            rules: rules.into_iter().flat_map(heads).collect(),
        }
    }

    /// The set with other severities for some rules, by code.
    pub fn with_levels(mut self, levels: &HashMap<&'static str, Level>) -> Self {
        for compiled in &mut self.rules {
            compiled.level = levels.get(compiled.rule.code.0).copied();
        }
        self
    }

    /// Its rules, in order.
    pub fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        let own = |compiled: &&Compiled| compiled.head.on == compiled.rule.on;
        self.rules.iter().filter(own).map(|compiled| compiled.rule)
    }

    /// What the rules say about the facts, in the order of the places that the findings point to.
    pub fn judge(&self, facts: &Facts, policy: Policy) -> Result<Vec<Finding>, JudgeError> {
        let allowed = Allowed::new(policy);
        let mut found = Vec::new();
        for build in &facts.builds {
            found.extend(self.judge_build(build, &allowed)?);
        }
        let others = (facts.settings.iter().map(Subject::from))
            .chain(facts.installs.iter().map(Subject::from))
            .chain(facts.images.iter().map(Subject::from))
            .chain(facts.probes.iter().map(Subject::from))
            .chain(
                facts
                    .probes
                    .iter()
                    .flat_map(|probe| &probe.artifacts)
                    .map(Subject::from),
            )
            .chain(facts.programs.iter().map(Subject::from))
            .chain(facts.artifacts.iter().map(Subject::from))
            .chain(facts.inputs.iter().map(Subject::from))
            .chain(facts.unreadable.iter().map(Subject::from))
            .chain(facts.suppressions.iter().map(Subject::from));
        for subject in others {
            found.extend(self.judge_one(&subject, &allowed)?);
        }
        Ok(in_order(found))
    }

    fn judge_build(&self, build: &Build, allowed: &Allowed) -> Result<Vec<Judged>, JudgeError> {
        let mut found = self.judge_one(&Subject::from(build), allowed)?;
        keep_one(&mut found, build);
        if let Some(through) = build.through.last() {
            for judged in &mut found {
                add_command(&mut judged.finding.related, through);
            }
        }
        Ok(found)
    }

    fn judge_one(&self, subject: &Subject, allowed: &Allowed) -> Result<Vec<Judged>, JudgeError> {
        let mut found = Vec::new();
        let fact = allowed.scope(subject.on, &subject.value, None);
        for compiled in self
            .rules
            .iter()
            .filter(|compiled| compiled.head.on == subject.on)
        {
            compiled
                .judge(subject, &fact, allowed, &mut found)
                .map_err(|error| JudgeError {
                    code: compiled.rule.code.0,
                    error,
                })?;
        }
        Ok(found)
    }
}

impl Compiled {
    fn new(rule: &'static Rule, head: Head) -> Self {
        let severity = head.severity.iter().filter_map(|row| row.get());
        Self {
            rule,
            head,
            each: head.each.map(Condition::new),
            once: head.once.map(Condition::new),
            when: Condition::new(head.when),
            severity: severity
                .map(|(level, when)| (level, Condition::new(when)))
                .collect(),
            level: None,
            message: Message::new(head.message),
            help: head.help.map(Message::new),
            related: head
                .related
                .iter()
                .map(|at| (at.role, Condition::new(at.at), Message::new(at.say)))
                .collect(),
        }
    }

    fn judge(
        &self,
        subject: &Subject,
        fact: &Value,
        allowed: &Allowed,
        found: &mut Vec<Judged>,
    ) -> Result<(), minijinja::Error> {
        let Some(each) = &self.each else {
            found.extend(self.judge_element(subject, None, fact, allowed)?);
            return Ok(());
        };
        for it in each.value(fact)?.try_iter()? {
            let names = allowed.scope(subject.on, &subject.value, Some(&it));
            found.extend(self.judge_element(subject, Some(&it), &names, allowed)?);
        }
        Ok(())
    }

    fn judge_element(
        &self,
        subject: &Subject,
        it: Option<&Value>,
        names: &Value,
        allowed: &Allowed,
    ) -> Result<Option<Judged>, minijinja::Error> {
        if !self.is_of_kind(names)? || !self.when.holds(names)? {
            return Ok(None);
        }
        let confidence = subject
            .confidence
            .min(it.map_or(Confidence::Certain, confidence));
        let Some(severity) = self.severity(subject, confidence, names, allowed.policy)? else {
            return Ok(None);
        };
        let once = match &self.once {
            Some(once) => Some(once.value(names)?.to_string()),
            None => None,
        };
        let finding = Finding {
            code: self.rule.code.to_string(),
            rule: self.rule.name.to_string(),
            severity,
            confidence,
            path: subject.path.to_owned(),
            span: subject.span.or_else(|| place(it?)).unwrap_or(START),
            instruction: subject.instruction,
            message: self.message.render(names)?,
            help: self
                .help
                .as_ref()
                .map(|help| help.render(names))
                .transpose()?
                .unwrap_or_default(),
            url: format!("{DOCS}{}", self.rule.file_name()),
            builder: subject.builder.map(str::to_owned),
            gpus: it.map(gpus).unwrap_or_default(),
            worlds: subject.worlds.to_vec(),
            related: self.related(subject, names, allowed)?,
            fix: None,
            suppressed: None,
        };
        Ok(Some(Judged { finding, once }))
    }

    fn is_of_kind(&self, names: &Value) -> Result<bool, minijinja::Error> {
        if self.head.kind.is_empty() {
            return Ok(true);
        }
        let Some((name, field)) = self.head.kind_path() else {
            return Ok(false);
        };
        let word = names.get_attr(name)?.get_attr(field)?;
        Ok(self
            .head
            .kind
            .iter()
            .any(|kind| Some(kind.0) == word.as_str()))
    }

    fn severity(
        &self,
        subject: &Subject,
        confidence: Confidence,
        names: &Value,
        policy: Policy,
    ) -> Result<Option<Severity>, minijinja::Error> {
        for (harm, when) in &self.severity {
            if when.holds(names)? {
                let wanted = self.level.map_or(Some(*harm), Level::severity);
                return Ok(
                    wanted.and_then(|harm| grade(harm, confidence, subject.compiles, policy))
                );
            }
        }
        Ok(None)
    }

    fn related(
        &self,
        subject: &Subject,
        names: &Value,
        allowed: &Allowed,
    ) -> Result<Vec<Related>, minijinja::Error> {
        let mut related = Vec::new();
        for (role, at, say) in &self.related {
            for thing in one_or_many(at.value(names)?)? {
                let Some((path, span)) = location(&thing) else {
                    continue;
                };
                let message =
                    say.render(&allowed.scope(subject.on, &subject.value, Some(&thing)))?;
                let role = *role;
                add_related(
                    &mut related,
                    Related {
                        role,
                        path,
                        span,
                        message,
                    },
                );
            }
        }
        Ok(related)
    }
}

/// The elements of a list, or the thing itself.
fn one_or_many(value: Value) -> Result<Vec<Value>, minijinja::Error> {
    match value.kind() {
        ValueKind::Seq => Ok(value.try_iter()?.collect()),
        _ => Ok(vec![value]),
    }
}

/// How sure an element is; one that does not say is certain.
fn confidence(it: &Value) -> Confidence {
    let word = it.get_attr("confidence").unwrap_or_default();
    match word.as_str() {
        Some("likely") => Confidence::Likely,
        _ => Confidence::Certain,
    }
}

/// The GPUs that an element is about.
fn gpus(it: &Value) -> Vec<String> {
    let gpus = it.get_attr("gpus").and_then(|gpus| gpus.try_iter());
    let names = gpus.into_iter().flatten();
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// The start of a file.
const START: Place = Place {
    offset: 0,
    length: 0,
    line: 1,
    column: 1,
    end_line: 1,
    end_column: 1,
};

fn location(thing: &Value) -> Option<(String, Place)> {
    Some((
        thing.get_attr("path").ok()?.as_str()?.to_owned(),
        place(thing)?,
    ))
}

/// The `span` of a thing.
fn place(thing: &Value) -> Option<Place> {
    let span = thing.get_attr("span").ok()?;
    let number = |name| u32::try_from(span.get_attr(name).ok()?).ok();
    Some(Place {
        offset: number("offset")?,
        length: number("length")?,
        line: number("line")?,
        column: number("column")?,
        end_line: number("end_line")?,
        end_column: number("end_column")?,
    })
}
