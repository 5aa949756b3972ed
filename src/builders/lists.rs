//! Lists that packages carry themselves.
use super::cond::{Tri, in_range};
use super::record::FixedList;
use crate::cuda::arch_list;
use crate::cuda::{Image, ToolkitVersion, toolkit};

/// Names of lists that several packages share. ggml's is that of `ggml/src/ggml-cuda/CMakeLists.txt`; torch's that of
/// `select_compute_arch.cmake`; Jetson-free toolkit lists come from the toolkit table.
const GGML_PORTABLE: [(&str, &[&str]); 5] = [
    ("cuda<13", &["50-virtual", "61-virtual", "70-virtual"]),
    ("cuda>=9", &["75-virtual", "80-virtual", "86"]),
    ("cuda>=11.8", &["89", "90-virtual"]),
    ("cuda>=12.8", &["120a"]),
    ("cuda>=12.9", &["121a"]),
];

/// The images of a fixed list under nvcc's CUDA version; empty where it is not known.
pub fn images(list: &FixedList, cuda: Option<&str>) -> Vec<Image> {
    match list {
        FixedList::Plain(entries) => match entries.as_ref() {
            [name] if !name.starts_with(|c: char| c.is_ascii_digit()) => named(name, cuda),
            entries => entries
                .iter()
                .filter_map(|e| arch_list::fixed(e))
                .flatten()
                .collect(),
        },
        FixedList::ByCuda(rows) => {
            let row = rows.iter().find(|(range, _)| {
                in_range(range.strip_prefix("cuda").unwrap_or(range), cuda) == Tri::Yes
            });
            row.map(|(_, entries)| {
                entries
                    .iter()
                    .filter_map(|e| arch_list::fixed(e))
                    .flatten()
                    .collect()
            })
            .unwrap_or_default()
        }
    }
}

fn named(name: &str, cuda: Option<&str>) -> Vec<Image> {
    let version: Option<ToolkitVersion> = cuda.and_then(|c| c.parse().ok());
    let known = version.and_then(toolkit);
    match (name, known) {
        ("toolkit-all", Some(toolkit)) => toolkit.all(),
        ("all-major", Some(toolkit)) => toolkit.all_major(),
        ("ggml-portable", Some(_)) => GGML_PORTABLE
            .iter()
            .filter(|(range, _)| in_range(range.trim_start_matches("cuda"), cuda) == Tri::Yes)
            .flat_map(|(_, entries)| entries.iter())
            .filter_map(|e| arch_list::fixed(e))
            .flatten()
            .collect(),
        _ => Vec::new(),
    }
}
