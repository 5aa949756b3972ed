//! The model against the answers of a real GPU and a real torch.
#![allow(clippy::unwrap_used)] // clippy allows it in tests, but not in the functions that they call
use kimg_lint::cuda::arch_list::{Consumer, Syntax, parse};
use kimg_lint::cuda::{
    Block, Coverage, Device, DriverBranch, Image, Jit, Target, ToolkitVersion, coverage,
};

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(" | ").collect())
}

/// `sm_90`, `compute_80@9.5`.
fn image(word: &str) -> Image {
    let (name, isa) = word.split_once('@').unwrap_or((word, "9.0"));
    let (kind, number) = name.split_once('_').unwrap();
    let target = Target::from_undotted(number).unwrap();
    match kind {
        "sm" => Image::sass(target),
        _ => Image {
            ptx_isa: Some(isa.parse().unwrap()),
            ..Image::ptx(target)
        },
    }
}

#[test]
fn the_h200_agrees() {
    let h200 = Device {
        driver: Some(DriverBranch(580)),
        ..Device::of("9.0".parse().unwrap())
    };
    let toolkit = Some(ToolkitVersion::new(13, 0));
    let mut seen = 0;
    for row in rows(include_str!("golden/h200-loads.txt")) {
        let [images, jit, code, name] = row[..] else {
            panic!("{row:?}");
        };
        let images: Vec<_> = images.split(' ').map(image).collect();
        let jit = match jit {
            "disabled" => Jit::Disabled,
            "forced" => Jit::Forced,
            _ => Jit::Allowed,
        };
        let verdict = match coverage(&images, &h200, toolkit, jit) {
            Coverage::Native { .. } | Coverage::Jit { sure: true, .. } => "0",
            Coverage::Blocked {
                why: Block::IsaTooNew { .. },
                ..
            } => "222",
            Coverage::Blocked {
                why: Block::Disabled,
                ..
            } => "223",
            // A program that hands over loose PTX gets 218, one with a fatbin 209.
            Coverage::Missing(_) if name.starts_with("ptx_") => "218",
            Coverage::Missing(_) => "209",
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(verdict, code, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 117);
}

#[test]
fn torch_agrees() {
    let consumer = Consumer {
        torch: "2.11.0+cu130".parse().ok(),
        ..Consumer::default()
    };
    let mut seen = 0;
    for row in rows(include_str!("golden/torch-2.11-arch-list.txt")) {
        let [value, expected] = row[..] else {
            panic!("{row:?}");
        };
        let parsed = parse(Syntax::Torch, value, &consumer);
        let answer = match parsed.faults.first() {
            Some(fault) => format!("!{}", fault.token.text),
            None => {
                let mut names: Vec<_> = parsed.images.iter().map(Image::to_string).collect();
                names.sort();
                names.join(" ")
            }
        };
        assert_eq!(answer, expected, "{value}");
        seen += 1;
    }
    assert_eq!(seen, 15);
}
