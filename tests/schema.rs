//! The JSON schemas of `--format json`, which is also true of real output, and of `.kimg-lint.yaml`: committed, generated from
//! the types.
//!
//! `cargo test --features schema` compares the committed files with the types; with `KIMG_WRITE_SCHEMA=1` it writes them.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use kimg_lint::facts::sample;
use kimg_lint::report::{Report, json};
use kimg_lint::rules::{Policy, RuleSet, builtin};
use serde_json::Value;

const SCHEMA: &str = include_str!("../schema/output-v1.json");

fn real_output() -> Value {
    let facts = sample::facts();
    let findings = RuleSet::new(builtin())
        .judge(&facts, Policy::default())
        .unwrap();
    assert!(findings.len() > 5, "a sample that shows something");
    let mut out = Vec::new();
    json::write(&Report::new(facts, findings), &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn real_output_fits_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let problems = Check { root: &schema }.problems(&schema, &real_output(), "$");
    assert_eq!(problems, [""; 0]);
}

#[test]
fn output_that_does_not_fit_is_seen() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let table = [
        ("/version", Value::from("1"), "$.version: no integer"),
        (
            "/summary/errors",
            Value::from(-1),
            "$.summary.errors: below 0",
        ),
        (
            "/builds/0/nvcc",
            Value::from("perhaps"),
            "$.builds[0].nvcc: none of the alternatives",
        ),
        (
            "/builds/0/arch/knob",
            Value::Null,
            "$.builds[0].arch.knob: no string",
        ),
        (
            "/findings/0/span",
            Value::from(1),
            "$.findings[0].span: no object",
        ),
        (
            "/tool",
            serde_json::json!({"name": "x", "extra": 1}),
            "$.tool: no `version`",
        ),
    ];
    for (at, value, expected) in table {
        let mut output = real_output();
        *output.pointer_mut(at).unwrap_or_else(|| panic!("{at}")) = value;
        let problems = Check { root: &schema }.problems(&schema, &output, "$");
        assert!(problems.iter().any(|p| p == expected), "{at}: {problems:?}");
    }
}

#[cfg(feature = "schema")]
#[test]
fn the_committed_schemas_are_those_of_the_types() {
    use schemars::generate::SchemaSettings;
    let output = SchemaSettings::draft2020_12().for_serialize();
    let output = output.into_generator().into_root_schema_for::<Report>();
    // editors know the older draft
    let config = SchemaSettings::draft07().into_generator();
    let config = config.into_root_schema_for::<kimg_lint::config::ConfigFile>();
    for (name, schema) in [("output-v1.json", output), ("config-v1.json", config)] {
        let current = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = format!("{}/schema/{name}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("KIMG_WRITE_SCHEMA").is_some() {
            std::fs::write(path, &current).unwrap();
        } else {
            assert!(
                std::fs::read_to_string(path).unwrap() == current,
                "{name}: KIMG_WRITE_SCHEMA=1 cargo test --features schema writes the schemas anew"
            );
        }
    }
}

/// The keywords of JSON schema that ours uses; any other one is a failure. Keys that the schema does not name are, too.
struct Check<'s> {
    root: &'s Value,
}

impl Check<'_> {
    fn problems(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let Some(schema) = schema.as_object() else {
            return Vec::new();
        };
        let mut problems = Vec::new();
        for (keyword, rule) in schema {
            match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "format" | "default" => {}
                "$ref" => {
                    let pointer = rule.as_str().unwrap().trim_start_matches('#');
                    problems.extend(self.problems(self.root.pointer(pointer).unwrap(), value, at));
                }
                "type" => {
                    problems.extend(wrong_type(rule, value).map(|name| format!("{at}: no {name}")))
                }
                "const" if rule != value => problems.push(format!("{at}: not {rule}")),
                "const" => {}
                "enum" if !rule.as_array().unwrap().contains(value) => {
                    problems.push(format!("{at}: not in {rule}"))
                }
                "enum" => {}
                "minimum" if value.as_f64() < rule.as_f64() => {
                    problems.push(format!("{at}: below {rule}"))
                }
                "maximum" if value.as_f64() > rule.as_f64() => {
                    problems.push(format!("{at}: above {rule}"))
                }
                "minimum" | "maximum" => {}
                "anyOf" | "oneOf" => {
                    let fits = |rule: &&Value| self.problems(rule, value, at).is_empty();
                    if !rule.as_array().unwrap().iter().any(|rule| fits(&rule)) {
                        problems.push(format!("{at}: none of the alternatives"));
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        problems.extend(self.problems(rule, item, &format!("{at}[{index}]")));
                    }
                }
                "required" => {
                    let names = rule.as_array().unwrap().iter().filter_map(Value::as_str);
                    let absent = names.filter(|name| value.get(name).is_none());
                    problems.extend(absent.map(|name| format!("{at}: no `{name}`")));
                }
                "properties" => {
                    for (key, item) in value.as_object().into_iter().flatten() {
                        match rule.get(key) {
                            Some(rule) => {
                                problems.extend(self.problems(rule, item, &format!("{at}.{key}")))
                            }
                            None => problems.push(format!("{at}: `{key}` is not in the schema")),
                        }
                    }
                }
                other => panic!("the schema uses `{other}`, which this test does not know"),
            }
        }
        problems
    }
}

/// The name of the type that a value should have and has not.
fn wrong_type(rule: &Value, value: &Value) -> Option<String> {
    let names = match rule {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        rule => vec![rule.as_str().unwrap()],
    };
    let fits = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type `{other}`"),
    };
    (!names.iter().any(fits)).then(|| names.join(" or "))
}
