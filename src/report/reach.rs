//! What reaches a GPU, for a terminal.
use super::wrap::wrap;
use super::{Paint, Terminal};
use crate::cuda::{Device, Image, Suffix, Target, ToolkitVersion, reach, toolkits};
use crate::fleet::names::joined;
use std::io::{self, Write};

/// Columns of what stands before a text.
const LABEL: usize = "  toolkit   ".len();

/// Writes a GPU with what reaches it.
pub fn write(device: &Device, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let capability = format!("compute capability {}", device.capability);
    let name = if device.name == capability {
        capability
    } else {
        format!("{}, {capability}", device.name)
    };
    let driver = device.driver.map(|driver| format!(", driver {driver}"));
    let title = format!("{name}{}", driver.unwrap_or_default());
    writeln!(out, "{}", terminal.paint(Paint::Heading, &title))?;
    rows(device)
        .into_iter()
        .try_for_each(|(label, text)| row(label, &text, out, terminal))
}

/// Writes a labelled text, wrapped.
pub fn row(label: &str, text: &str, out: &mut dyn Write, terminal: Terminal) -> io::Result<()> {
    let width = terminal.width.saturating_sub(LABEL);
    let text = wrap(text, width).replace('\n', &format!("\n{:LABEL$}", ""));
    writeln!(out, "{:LABEL$}{text}", format!("  {label}"))
}

fn rows(device: &Device) -> Vec<(&'static str, String)> {
    let reach = reach(device);
    let own = Target::plain(device.capability);
    let sass: Vec<String> = reach
        .sass
        .iter()
        .map(|t| Image::sass(*t).to_string())
        .collect();
    let mut rows = vec![("runs", runs(&sass.join(", "), &reach.ptx))];
    if device.tegra {
        let alone = "a Tegra chip: machine code of no other number is promised to run there";
        rows.push(("", alone.to_owned()));
    }
    rows.extend(suffixes(&reach.sass).map(|text| ("suffixes", text)));
    rows.push(("toolkit", toolkit(own, reach.own, reach.any)));
    rows.push((
        "torch",
        match reach.torch {
            Some(torch) => format!(
                "TORCH_CUDA_ARCH_LIST takes {} from torch {torch} on",
                own.dotted()
            ),
            None => format!(
                "no release that was measured takes {} in TORCH_CUDA_ARCH_LIST",
                own.dotted()
            ),
        },
    ));
    if let Some(driver) = device.driver {
        let newest = toolkits()
            .iter()
            .rfind(|t| t.driver <= driver.0 && !t.driver_at_least);
        rows.extend(newest.map(|t| {
            let text = format!("{driver} compiles the PTX of CUDA {} and older", t.version);
            ("driver", text)
        }));
    }
    rows
}

fn runs(sass: &str, ptx: &[Target]) -> String {
    let ptx = match ptx {
        [] => None,
        [one] => Some(Image::ptx(*one).to_string()),
        [first, .., last] => Some(format!("{} to {}", Image::ptx(*first), Image::ptx(*last))),
    };
    match (sass, ptx) {
        ("", None) => "nothing that a released toolkit compiles".to_owned(),
        (sass, None) => sass.to_owned(),
        ("", Some(ptx)) => format!("PTX of {ptx}"),
        (sass, Some(ptx)) => format!("{sass}; PTX of {ptx}"),
    }
}

/// What to know of the targets with a suffix.
fn suffixes(sass: &[Target]) -> Option<String> {
    let names = |suffix| {
        let with = sass.iter().filter(move |target| target.suffix == suffix);
        let names: Vec<_> = with
            .map(|target| Image::sass(*target).to_string())
            .collect();
        names
    };
    let (alone, family) = (names(Suffix::Accelerated), names(Suffix::Family));
    let alone =
        (!alone.is_empty()).then(|| format!("{} runs on this capability alone", joined(&alone)));
    let family = (!family.is_empty()).then(|| format!("{} in the family alone", joined(&family)));
    let both: Vec<_> = alone.into_iter().chain(family).collect();
    (!both.is_empty()).then(|| format!("{}: for sources that need it", both.join(", ")))
}

fn toolkit(
    own: Target,
    ends: Option<(ToolkitVersion, ToolkitVersion)>,
    any: Option<(ToolkitVersion, ToolkitVersion)>,
) -> String {
    let newest = toolkits().last().map(|toolkit| toolkit.version);
    let dropped = |last: ToolkitVersion| {
        if Some(last) == newest {
            String::new()
        } else {
            format!(", {last} is the last")
        }
    };
    match (ends, any) {
        (Some((first, last)), any) => {
            let name = Image::sass(own);
            let mut text = format!(
                "CUDA {first} is the first that compiles {name}{}",
                dropped(last)
            );
            if let Some((earlier, _)) = any.filter(|(earlier, _)| *earlier < first) {
                text.push_str(&format!("; {earlier} compiles code that runs there"));
            }
            text
        }
        (None, Some((first, last))) => {
            format!(
                "CUDA {first} is the first that compiles code that runs there{}",
                dropped(last)
            )
        }
        (None, None) => "no released toolkit compiles for it".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_a_gpu_is_said_in_five_lines() {
        let terminal = Terminal {
            color: false,
            unicode: true,
            width: 80,
        };
        let shown = |name: &str, driver: Option<&str>| {
            let device = Device {
                driver: driver.map(|driver| driver.parse().unwrap()),
                ..crate::fleet::resolve(name).unwrap()
            };
            let mut out = Vec::new();
            write(&device, &mut out, terminal).unwrap();
            String::from_utf8(out).unwrap()
        };
        let all = [
            shown("L4", Some("550.54")),
            shown("12.1", None),
            shown("Jetson AGX Orin", None),
            shown("V100", None),
        ];
        insta::assert_snapshot!(all.join("\n"), @r"
        NVIDIA L4, compute capability 8.9, driver 550
          runs      sm_80, sm_86, sm_88, sm_89; PTX of compute_30 to compute_89
          toolkit   CUDA 11.8 is the first that compiles sm_89; 11.0 compiles code that
                    runs there
          torch     TORCH_CUDA_ARCH_LIST takes 8.9 from torch 2.0 on
          driver    550 compiles the PTX of CUDA 12.4 and older

        compute capability 12.1
          runs      sm_120, sm_120f, sm_121, sm_121a, sm_121f; PTX of compute_30 to
                    compute_121
          suffixes  sm_121a runs on this capability alone, sm_120f and sm_121f in the
                    family alone: for sources that need it
          toolkit   CUDA 12.9 is the first that compiles sm_121; 12.8 compiles code that
                    runs there
          torch     TORCH_CUDA_ARCH_LIST takes 12.1 from torch 2.8 on

        Orin, compute capability 8.7
          runs      sm_87; PTX of compute_30 to compute_87
                    a Tegra chip: machine code of no other number is promised to run
                    there
          toolkit   CUDA 11.4 is the first that compiles sm_87
          torch     TORCH_CUDA_ARCH_LIST takes 8.7 from torch 2.2 on

        Tesla V100-SXM2-16GB, compute capability 7.0
          runs      sm_70; PTX of compute_30 to compute_70
          toolkit   CUDA 9.0 is the first that compiles sm_70, 12.9 is the last
          torch     TORCH_CUDA_ARCH_LIST takes 7.0 from torch 1.13 on
        ");
    }
}
