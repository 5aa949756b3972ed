//! The syntaxes in which build systems take architectures.
use crate::table::{Text, from_text};
use serde::{Deserialize, Deserializer, Serialize};
use std::str::FromStr;

/// How a consumer writes its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Syntax {
    /// `8.0;8.6 9.0+PTX`: `TORCH_CUDA_ARCH_LIST` as torch's Python reads it.
    Torch,
    /// `8.0;Ampere;9.0+PTX`, `Auto`, `Common`, `All`: CMake's old `cuda_select_nvcc_arch_flags`, also torch's CMake.
    FindCuda,
    /// `80;86-real;90-virtual`: `CMAKE_CUDA_ARCHITECTURES` and `CUDAARCHS`.
    Cmake,
    /// `80;90a`, with any of these characters between.
    Undotted(Text),
    /// `8.0,9.0`, with any of these characters between.
    Dotted(Text),
    /// `86`
    OneUndotted,
    /// `8.6`
    OneDotted,
    /// `Ampere sm_90 compute_90`: generations and targets in any spelling, with spaces, commas or semicolons between.
    Names,
    /// `-gencode arch=compute_80,code=sm_80`: the command line of nvcc.
    Flags,
}

/// A name that is not a syntax.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the syntax of an architecture list")]
pub struct NotASyntax(pub String);

/// Reads the name that builder records write: `torch`, `undotted(;)`. `gencode` and `nvcc-flags` are the same: what a variable
/// of raw flags holds ends up on nvcc's command line.
impl FromStr for Syntax {
    type Err = NotASyntax;

    fn from_str(text: &str) -> Result<Self, NotASyntax> {
        let separated = |name| {
            let separators = text.strip_prefix(name)?.strip_suffix(')')?;
            (!separators.is_empty()).then(|| Text(String::from(separators).leak()))
        };
        Ok(match text {
            "torch" => Self::Torch,
            "find-cuda" => Self::FindCuda,
            "cmake" => Self::Cmake,
            "one-undotted" => Self::OneUndotted,
            "one-dotted" => Self::OneDotted,
            "names" => Self::Names,
            "gencode" | "nvcc-flags" => Self::Flags,
            _ => separated("undotted(")
                .map(Self::Undotted)
                .or_else(|| separated("dotted(").map(Self::Dotted))
                .ok_or_else(|| NotASyntax(text.to_owned()))?,
        })
    }
}

impl<'de> Deserialize<'de> for Syntax {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read() {
        for (name, syntax) in [
            ("torch", Syntax::Torch),
            ("find-cuda", Syntax::FindCuda),
            ("cmake", Syntax::Cmake),
            ("undotted(;)", Syntax::Undotted(Text(";"))),
            ("undotted( )", Syntax::Undotted(Text(" "))),
            ("dotted(; ,)", Syntax::Dotted(Text("; ,"))),
            ("one-undotted", Syntax::OneUndotted),
            ("one-dotted", Syntax::OneDotted),
            ("names", Syntax::Names),
            ("nvcc-flags", Syntax::Flags),
            ("gencode", Syntax::Flags),
        ] {
            assert_eq!(name.parse(), Ok(syntax));
        }
        for bad in ["", "Torch", "undotted", "undotted()", "dotted(;"] {
            assert!(bad.parse::<Syntax>().is_err(), "{bad}");
        }
    }
}
