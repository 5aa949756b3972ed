//! What stands in the built-in rules' texts.
use super::super::check::is_word;
use super::*;

#[test]
fn no_rule_fails_on_what_is_absent() {
    let bare = |diagnosis| Build {
        because: String::new(),
        arch: Arch::default(),
        suggest: String::new(),
        toolkit: Tool::default(),
        torch: Tool::default(),
        nvcc: Known::No,
        coverage: Vec::new(),
        ..build(diagnosis, Outcome::Error)
    };
    use Diagnosis::*;
    let all = [
        Ok,
        Malformed,
        Empty,
        Native,
        Ignored,
        Lost,
        Late,
        Missing,
        Undecidable,
    ];
    for finding in judge(all.map(bare)) {
        for text in [&finding.message, &finding.help] {
            assert!(
                !text.contains("``") && !text.contains("  "),
                "{}: {text}",
                finding.code
            );
        }
    }
}

/// A word that no vocabulary has would compare with nothing, without a word.
#[test]
fn conditions_compare_with_words_that_exist() {
    /// Texts that are no words of a vocabulary.
    const OTHER: [&str; 5] = ["compute_", " ", ", ", "token", "the file"];
    let heads = |rule: &'static Rule| rule.heads().map(move |head| (rule, head));
    for (rule, head) in builtin().iter().flat_map(heads) {
        let rows = head
            .severity
            .iter()
            .filter_map(|row| row.get().map(|(_, when)| when));
        let conditions = rows.chain([head.when]).map(|text| text.0);
        let templates = [Some(head.message), head.help].into_iter().flatten();
        let templates = templates
            .flat_map(|text| text.0.split(['{', '}']))
            .filter(|part| part.starts_with('%'));
        for text in conditions.chain(templates) {
            for word in text.split('"').skip(1).step_by(2) {
                assert!(
                    OTHER.contains(&word) || is_known(word),
                    "{}: `{word}` in {text}",
                    rule.code
                );
            }
        }
    }
}

fn is_known(word: &str) -> bool {
    let vocabularies = [
        is_word::<Verdict>,
        is_word::<Outcome>,
        is_word::<Compiles>,
        is_word::<Known>,
        is_word::<ProblemKind>,
        is_word::<ArchSource>,
        is_word::<SetHow>,
        is_word::<LostWhy>,
        is_word::<FaultKind>,
        is_word::<Diagnosis>,
        is_word::<TorchSeen>,
        is_word::<CudaMatch>,
        is_word::<RuntimeCompiler>,
        is_word::<SuppressionWhy>,
        is_word::<ProbeState>,
        is_word::<Values>,
        is_word::<FailureKind>,
        is_word::<GapKind>,
        is_word::<Allowance>,
        is_word::<ForwardPtx>,
        is_word::<Unexpected>,
    ];
    vocabularies.iter().any(|has| has(word))
}
