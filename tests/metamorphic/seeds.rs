//! The same files as seeds for fuzzing.
use crate::written::written;
use kimg_lint::text::dockerfile;
use std::path::Path;

/// Writes the files into `fuzz/corpus`, where that is asked for.
#[test]
fn seeds_are_written() {
    if std::env::var_os("KIMG_WRITE_SEEDS").is_none() {
        return;
    }
    let mut number = 0;
    let mut keep = |target: &str, text: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fuzz/corpus")
            .join(target);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("written-{number}")), text).unwrap();
        number += 1;
    };
    for file in written() {
        let with_path = format!("{}\n{}", file.path, file.text);
        keep("end_to_end", &with_path);
        keep("fix", &with_path);
        match file.kind() {
            "dockerfile" => {
                keep("dockerfile", &file.text);
                keep("formats", &file.text);
                for instruction in dockerfile::parse(&file.text).instructions {
                    keep("shell", instruction.rest.text());
                }
            }
            "bake" | "bake-override" => keep("bake", &file.text),
            _ => {
                keep("ci", &with_path);
                keep("yaml", &file.text);
            }
        }
    }
}
