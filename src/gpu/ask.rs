//! The driver's answers to parts of files. One child asks for all of them, since a context costs far more than a load; one that dies
//! is followed by another that goes on behind.
use super::child::Launcher;
use super::code::Code;
use super::predicted::Answer;
use super::protocol::{Job, Part, Reply, Task};

/// Children that may die over one file before the rest of it is left alone.
const DEATHS: usize = 20;

/// The answers of a GPU to the parts of several files, file by file.
pub(super) fn every(files: &[Vec<Part>], launcher: &Launcher, index: u32) -> Vec<Vec<Answer>> {
    let lengths = files.iter().map(Vec::len);
    let mut answers = Answers::new(lengths);
    let parts: Vec<Part> = files.iter().flatten().cloned().collect();
    while let Some(left) = parts.get(answers.len()..).filter(|left| !left.is_empty()) {
        let job = Job::Load {
            index,
            parts: left.to_vec(),
        };
        let mut loading = false;
        let mut refusal = None;
        let end = launcher.run(&job, |reply| match reply {
            Reply::Begin(Task::Load(_)) => loading = true,
            Reply::Loaded { code, log, .. } => {
                loading = false;
                answers.push(match code {
                    Some(code) => Answer::Code(Code(code), log),
                    None => Answer::NotAsked(log),
                });
            }
            Reply::NotStarted { reason, .. } | Reply::NoContext { reason, .. } => {
                refusal = Some(reason);
            }
            _ => {}
        });
        match end.trouble().or(refusal) {
            Some(trouble) if loading => answers.lose(trouble),
            Some(trouble) => answers.fill(parts.len(), &trouble),
            None => answers.fill(parts.len(), "the process said nothing of it"),
        }
    }
    answers.by_file()
}

/// Answers in the order of the parts.
struct Answers {
    given: Vec<Answer>,
    /// Where the parts of each file end.
    ends: Vec<usize>,
    /// Children that died over the file at hand, and that file.
    deaths: (usize, usize),
}

impl Answers {
    fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let ends = lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        Self {
            given: Vec::new(),
            ends: ends.collect(),
            deaths: (0, 0),
        }
    }

    fn len(&self) -> usize {
        self.given.len()
    }

    fn push(&mut self, answer: Answer) {
        self.given.push(answer);
    }

    /// Gives parts up to `end` the same answer: nobody was asked.
    fn fill(&mut self, end: usize, why: &str) {
        self.given.resize(end, Answer::NotAsked(why.to_owned()));
    }

    /// A child died over the next part.
    fn lose(&mut self, trouble: String) {
        let here = self.len();
        let file = self.ends.partition_point(|&end| end <= here);
        let before = if self.deaths.1 == file {
            self.deaths.0
        } else {
            0
        };
        self.deaths = (before + 1, file);
        self.push(Answer::Lost(trouble.clone()));
        if self.deaths.0 == DEATHS
            && let Some(&end) = self.ends.get(file)
        {
            self.fill(end, &trouble);
        }
    }

    fn by_file(self) -> Vec<Vec<Answer>> {
        let mut given = self.given.into_iter();
        let mut start = 0;
        let file = |end: usize| {
            let answers = given.by_ref().take(end - start).collect();
            start = end;
            answers
        };
        self.ends.into_iter().map(file).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_kills_every_child_leaves_the_others_their_answers() {
        let mut answers = Answers::new([1, 0, 50, 2].into_iter());
        answers.push(Answer::Code(Code(0), String::new()));
        for _ in 0..DEATHS {
            answers.lose("killed".into());
        }
        assert_eq!(answers.len(), 51);
        answers.lose("killed".into());
        answers.fill(53, "gone");
        let counts: Vec<[usize; 3]> = answers
            .by_file()
            .iter()
            .map(|answers| {
                let count = |is: fn(&Answer) -> bool| answers.iter().filter(|a| is(a)).count();
                [
                    count(|a| matches!(a, Answer::Code(..))),
                    count(|a| matches!(a, Answer::Lost(_))),
                    count(|a| matches!(a, Answer::NotAsked(_))),
                ]
            })
            .collect();
        assert_eq!(counts, [[1, 0, 0], [0, 0, 0], [0, 20, 30], [0, 1, 1]]);
    }
}
