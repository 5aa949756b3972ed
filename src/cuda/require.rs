//! What a container image asks of the machine before it is started: the values of its variables `NVIDIA_REQUIRE_*`, which
//! NVIDIA's container runtime reads.
//!
//! Words are alternatives, conditions joined by commas must all hold (NVIDIA Container Toolkit, "Constraints", 2026-11-30).
use super::capability::Capability;
use super::device::{Device, DriverBranch};
use super::tables::TOOLKITS;
use super::version::ToolkitVersion;
use std::cmp::Ordering;

/// Whether the runtime starts an image with this value on a device; `None` where the tables or the fleet do not tell.
pub fn admits(requirement: &str, device: &Device) -> Option<bool> {
    let groups = requirement.split_whitespace();
    let all = |group: &str| every(group.split(',').map(|condition| holds(condition, device)));
    // One alternative is enough: what none of them allows is refused.
    every(groups.map(|group| all(group).map(|holds| !holds))).map(|none| !none)
}

/// Whether all of them hold; one that does not settles it.
fn every(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for answer in answers {
        match answer {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

fn holds(condition: &str, device: &Device) -> Option<bool> {
    let at = condition.find(['=', '!', '<', '>'])?;
    let (name, rest) = condition.split_at(at);
    let value = rest.trim_start_matches(['=', '!', '<', '>']);
    let operator = rest.strip_suffix(value)?;
    let order = match name {
        "arch" => Some(device.capability.cmp(&value.parse::<Capability>().ok()?)),
        "cuda" => against_cuda(device.driver?, value.parse().ok()?),
        "driver" => against_driver(device.driver?, value),
        // The brand of a GPU is not in the tables.
        _ => None,
    }?;
    match operator {
        "=" | "==" => Some(order.is_eq()),
        "!=" => Some(order.is_ne()),
        "<" => Some(order.is_lt()),
        "<=" => Some(order.is_le()),
        ">" => Some(order.is_gt()),
        ">=" => Some(order.is_ge()),
        _ => None,
    }
}

/// The newest CUDA that a driver knows, against another version.
fn against_cuda(driver: DriverBranch, version: ToolkitVersion) -> Option<Ordering> {
    let branch = |at: &&super::tables::Toolkit| at.driver == driver.0 && !at.driver_at_least;
    let known = TOOLKITS.iter().find(branch)?;
    Some(known.version.cmp(&version))
}

/// A branch is all that is known of a driver: 535 is neither above nor below 535.54.
fn against_driver(driver: DriverBranch, value: &str) -> Option<Ordering> {
    let (branch, rest) = value.split_once('.').unwrap_or((value, ""));
    match driver.0.cmp(&branch.parse().ok()?) {
        Ordering::Equal if !rest.is_empty() => None,
        // 535.54 is above 535 and below 536.
        Ordering::Equal => Some(Ordering::Greater),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_alternatives_and_commas_join() {
        for (requirement, capability, driver, expected) in [
            ("arch>=7.0", "6.1", None, Some(false)),
            ("arch>=7.0", "7.0", None, Some(true)),
            ("arch>=7.0,arch<9.0", "9.0", None, Some(false)),
            ("cuda>=11.0,arch>=7.0", "6.1", None, Some(false)),
            ("cuda>=11.0,arch>=7.0", "8.0", None, None),
            ("cuda>=11.0,arch>=7.0", "8.0", Some(535), Some(true)),
            ("cuda>=11.0 arch>=7.0", "6.1", Some(535), Some(true)),
            ("cuda>=11.0 arch>=7.0", "6.1", None, None),
            ("cuda>=12.4", "8.0", Some(535), Some(false)),
            ("cuda>=12.4", "8.0", Some(550), Some(true)),
            // A branch that is not in the tables.
            ("cuda>=12.4", "8.0", Some(536), None),
            ("arch=8.0 arch=9.0", "8.9", None, Some(false)),
            ("arch!=8.0", "8.9", None, Some(true)),
            // As the images of NVIDIA say it.
            (
                "cuda>=12.4 brand=tesla,driver>=470,driver<471",
                "8.0",
                Some(470),
                None,
            ),
            (
                "cuda>=12.4 brand=tesla,driver>=470,driver<471",
                "8.0",
                Some(460),
                Some(false),
            ),
            ("driver>=535.54", "8.0", Some(535), None),
            ("driver>=535", "8.0", Some(535), Some(true)),
            ("driver<535", "8.0", Some(535), Some(false)),
            ("arch", "8.0", None, None),
            ("arch=>8.0", "8.0", None, None),
            ("arch>=ampere", "8.0", None, None),
        ] {
            let device = Device {
                driver: driver.map(DriverBranch),
                ..Device::of(capability.parse().unwrap())
            };
            assert_eq!(
                admits(requirement, &device),
                expected,
                "{requirement} on {capability} with {driver:?}"
            );
        }
    }
}
