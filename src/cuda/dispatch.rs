//! Containers whose kernels are for some GPUs only, on purpose.
use super::capability::{Image, Suffix};
use std::collections::BTreeSet;

/// Which containers of a file are *dispatch*: libraries such as cublasLt carry kernels that they choose by the GPU, so that a
/// container of one generation, or of `a` and `f` targets only, is no gap where other containers span several generations.
/// One answer per container.
pub fn dispatch(containers: &[&[Image]]) -> Vec<bool> {
    let several = containers.iter().any(|images| !is_special(images));
    containers
        .iter()
        .map(|images| several && is_special(images))
        .collect()
}

/// Whether the images are all of one major version, or only for GPUs that their suffix names.
pub fn is_special(images: &[Image]) -> bool {
    let majors: BTreeSet<u8> = images
        .iter()
        .map(|image| image.target.capability.major)
        .collect();
    majors.len() <= 1
        || images
            .iter()
            .all(|image| image.target.suffix != Suffix::None)
}

#[cfg(test)]
mod tests {
    use super::super::capability::Image;
    use super::*;

    #[test]
    fn narrow_containers_are_dispatch_only_beside_wide_ones() {
        //  containers, which of them are dispatch
        for (containers, expected) in [
            (&["80 90"][..], &[false][..]),
            (&["80"], &[false]),
            (&["80", "90a"], &[false, false]),
            (&["80 90", "90"], &[false, true]),
            (&["80 90", "90a 100a", "80 86"], &[false, true, true]),
            (&["80 90", "90a 100"], &[false, false]),
            (&[], &[]),
        ] {
            let containers: Vec<Vec<Image>> = containers
                .iter()
                .map(|text| {
                    let words = text.split(' ');
                    words
                        .map(|word| Image::sass(word.parse().unwrap()))
                        .collect()
                })
                .collect();
            let slices: Vec<&[Image]> = containers.iter().map(Vec::as_slice).collect();
            assert_eq!(dispatch(&slices), expected, "{containers:?}");
        }
    }
}
