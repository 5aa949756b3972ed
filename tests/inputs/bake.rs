//! Bake: what its files say by themselves; that they lend arguments is in `callers`.
use super::check;

#[test]
fn bake() {
    check(&[
        (
            "docker/docker-bake.hcl",
            "target \"app\" {\n  dockerfile = \"docker/Dockerfile\"\n  args = { LIST = \"8.0\" }\n}\n",
            &[],
        ),
        (
            "docker-bake.hcl",
            "target \"app\" {\n  dockerfile-inline = \"FROM a\"\n}\n",
            &["2 KIMG005 Info"],
        ),
        (
            "docker-bake.hcl",
            "\ntarget \"app\" {\n",
            &["2 KIMG002 Warning"],
        ),
        (
            "docker-bake.json",
            "{\"target\": [}\n",
            &["1 KIMG002 Warning"],
        ),
    ]);
}
