//! Actions and workflows of others: what they bring to a job.
use super::pattern::fit;
use super::record::CiAction;
use super::tables::CI_ACTIONS;

/// What is known of an action by its name as written, with or without `@v4`.
pub fn ci_action(target: &str) -> Option<&'static CiAction> {
    let name = target.split('@').next().unwrap_or(target);
    CI_ACTIONS
        .iter()
        .find(|row| fit(row.name.0, name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_found_by_name() {
        let toolkit = |target: &str| ci_action(target).map(|row| row.toolkit.map(|t| t.0));
        assert_eq!(toolkit("Jimver/cuda-toolkit@v0.2.16"), Some(Some("cuda")));
        assert_eq!(toolkit("actions/checkout@v4"), Some(None));
        assert_eq!(toolkit("someone/unseen@main"), None);
    }
}
