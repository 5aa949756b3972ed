//! The kernels that have no image for a GPU, named as their source names them.
use crate::facts::{ImageSet, KernelGroup};
use cpp_demangle::{DemangleOptions, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// The kernels of some containers: instances of one template together, and how many containers tell no names.
pub(super) fn kernels<'s>(sets: impl Iterator<Item = &'s ImageSet>) -> (Vec<KernelGroup>, u64) {
    let mut instances: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut unnamed = 0;
    for set in sets {
        unnamed += set.unnamed;
        for kernel in &set.kernels {
            instances.entry(name(kernel)).or_default().insert(kernel);
        }
    }
    let groups = instances.into_iter().map(|(name, instances)| KernelGroup {
        name,
        count: instances.len() as u64,
    });
    (groups.collect(), unnamed)
}

/// `at::native::fill<…>` of a mangled name; a name that is not mangled stays.
fn name(symbol: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    // Without the prefix a name is C's, even where it reads as the code of a type.
    let demangled = symbol
        .starts_with("_Z")
        .then(|| Symbol::new(symbol).ok())
        .flatten()
        .and_then(|symbol| symbol.demangle_with_options(&options).ok());
    demangled.map_or_else(|| symbol.to_owned(), |name| without_arguments(&name))
}

/// A name without the arguments of its templates.
fn without_arguments(name: &str) -> String {
    let mut short = String::new();
    let mut depth = 0_usize;
    for c in name.chars() {
        match c {
            '<' => {
                if depth == 0 {
                    short.push_str("<…>");
                }
                depth += 1;
            }
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => short.push(c),
            _ => {}
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, expected) in [
            ("_Z12zswap_kerneliP7double2iS0_i", "zswap_kernel"),
            (
                "_Z28sgemm_batched_smallsq_kernelILi32EEv13magma_trans_tS0_fPKPKfiiiS4_iiifPPfiiii",
                "sgemm_batched_smallsq_kernel<…>",
            ),
            (
                "_ZN14at_cuda_detail3cub6detail11EmptyKernelIvEEvv",
                "at_cuda_detail::cub::detail::EmptyKernel<…>",
            ),
            ("my_kernel", "my_kernel"),
            ("_Zbroken", "_Zbroken"),
        ] {
            assert_eq!(name(symbol), expected, "{symbol}");
        }
    }

    #[test]
    fn instances_are_counted_once() {
        let set = |kernels: &[&str], unnamed| ImageSet {
            kernels: kernels.iter().map(|&kernel| kernel.to_owned()).collect(),
            unnamed,
            ..ImageSet::default()
        };
        let sets = [
            set(&["_Z1aILi1EEvv", "_Z1aILi2EEvv", "b"], 1),
            set(&["_Z1aILi2EEvv"], 2),
        ];
        let (groups, unnamed) = kernels(sets.iter());
        let told: Vec<_> = groups
            .iter()
            .map(|g| format!("{} {}", g.name, g.count))
            .collect();
        assert_eq!((told.join(", "), unnamed), ("a<…> 2, b 1".to_owned(), 3));
    }
}
