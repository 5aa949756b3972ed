//! Every format for one file: two findings and one that is suppressed. And where results go.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use assert_cmd::Command;
use kimg_lint::config::{Config, Layer, NAME};
use kimg_lint::lint::lint_text;
use kimg_lint::report::{Format, Report, Terminal, human};
use serde_json::Value;
use std::path::Path;

const TEXT: &str = "\
FROM nvidia/cuda:12.4.1-devel-ubuntu22.04
# kimg-lint: ignore[KIMG201] only the H100 nodes run it
RUN nvcc -arch=sm_90 -o fast fast.cu
RUN nvcc -arch=sm_90 -o tool tool.cu
RUN nvcc -arch=sm_80 -o \"a|b\" '<a>.cu'
";
const CONFIG: &str = "fleet: {all: {gpus: [A100, H100]}}";

fn report() -> Report {
    let layer = Layer::parse(NAME, Path::new("/repository"), CONFIG).unwrap();
    let config = Config::new(&[layer]).unwrap();
    let place = Path::new("/repository/my docker/Dockerfile");
    let mut report = lint_text("./my docker/Dockerfile", TEXT, &config, place).unwrap();
    report.here = "/repository".into();
    report.time = "2026-11-30T12:00:00".to_owned();
    report.tool.version = "1.2.3";
    report
}

fn written(format: Format) -> String {
    let terminal = Terminal {
        color: false,
        unicode: true,
        width: 80,
    };
    let report = report();
    let mut out = Vec::new();
    format
        .write(&report, &mut out, |out| {
            human::write(&report, out, terminal, false)
        })
        .unwrap();
    String::from_utf8(out).unwrap()
}

/// JSON as a person reads it.
fn pretty(format: Format) -> String {
    let value: Value = serde_json::from_str(&written(format)).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn for_people() {
    insta::assert_snapshot!(written(Format::Human), @r#"
    error[KIMG201] fleet-gpu-missing

      × nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB
      │ (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU
       ╭─[./my docker/Dockerfile:4:5]
     3 │ RUN nvcc -arch=sm_90 -o fast fast.cu
     4 │ RUN nvcc -arch=sm_90 -o tool tool.cu
       ·     ──┬─ ─────────────┬─────────────
       ·       │               ╰── the list stands here
       ·       ╰── this build
     5 │ RUN nvcc -arch=sm_80 -o "a|b" '<a>.cu'
       ╰────
      help: for this fleet, write
            `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`

    warning[KIMG202] fleet-gpu-jit-only

      ⚠ nvcc (nvcc -arch=sm_80 -o "a|b" '<a>.cu') has no machine code for NVIDIA
      │ H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles
      │ when the program starts
       ╭─[./my docker/Dockerfile:5:5]
     4 │ RUN nvcc -arch=sm_90 -o tool tool.cu
     5 │ RUN nvcc -arch=sm_80 -o "a|b" '<a>.cu'
       ·     ──┬─ ──────────────┬─────────────
       ·       │                ╰── the list stands here
       ·       ╰── this build
       ╰────
      help: for machine code on the whole fleet, write
            `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`

    1 error, 1 warning in 1 file (3 builds); 1 suppressed
    "#);
}

#[test]
fn one_line_each() {
    insta::assert_snapshot!(written(Format::Concise), @r#"
    ./my docker/Dockerfile:4:5: KIMG201 nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU
    ./my docker/Dockerfile:5:5: KIMG202 nvcc (nvcc -arch=sm_80 -o "a|b" '<a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts
    "#);
}

#[test]
fn the_findings_of_the_object() {
    let value: Value = serde_json::from_str(&written(Format::Json)).unwrap();
    let findings = serde_json::to_string_pretty(&value["findings"]).unwrap();
    insta::assert_snapshot!(findings, @r#"
    [
      {
        "builder": "nvcc",
        "code": "KIMG201",
        "confidence": "certain",
        "gpus": [
          "NVIDIA A100-SXM4-40GB"
        ],
        "help": "for this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`",
        "instruction": {
          "column": 1,
          "end_column": 37,
          "end_line": 3,
          "length": 36,
          "line": 3,
          "offset": 98
        },
        "message": "nvcc (nvcc -arch=sm_90 -o fast fast.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU",
        "path": "./my docker/Dockerfile",
        "related": [
          {
            "message": "the list stands here",
            "path": "./my docker/Dockerfile",
            "role": "cause",
            "span": {
              "column": 10,
              "end_column": 37,
              "end_line": 3,
              "length": 27,
              "line": 3,
              "offset": 107
            }
          }
        ],
        "rule": "fleet-gpu-missing",
        "severity": "error",
        "span": {
          "column": 5,
          "end_column": 37,
          "end_line": 3,
          "length": 32,
          "line": 3,
          "offset": 102
        },
        "suppressed": {
          "by": "comment",
          "reason": "only the H100 nodes run it"
        },
        "url": "https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG201-fleet-gpu-missing.yaml"
      },
      {
        "builder": "nvcc",
        "code": "KIMG201",
        "confidence": "certain",
        "gpus": [
          "NVIDIA A100-SXM4-40GB"
        ],
        "help": "for this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`",
        "instruction": {
          "column": 1,
          "end_column": 37,
          "end_line": 4,
          "length": 36,
          "line": 4,
          "offset": 135
        },
        "message": "nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU",
        "path": "./my docker/Dockerfile",
        "related": [
          {
            "message": "the list stands here",
            "path": "./my docker/Dockerfile",
            "role": "cause",
            "span": {
              "column": 10,
              "end_column": 37,
              "end_line": 4,
              "length": 27,
              "line": 4,
              "offset": 144
            }
          }
        ],
        "rule": "fleet-gpu-missing",
        "severity": "error",
        "span": {
          "column": 5,
          "end_column": 37,
          "end_line": 4,
          "length": 32,
          "line": 4,
          "offset": 139
        },
        "url": "https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG201-fleet-gpu-missing.yaml"
      },
      {
        "builder": "nvcc",
        "code": "KIMG202",
        "confidence": "certain",
        "gpus": [
          "NVIDIA H100 80GB HBM3"
        ],
        "help": "for machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`",
        "instruction": {
          "column": 1,
          "end_column": 39,
          "end_line": 5,
          "length": 38,
          "line": 5,
          "offset": 172
        },
        "message": "nvcc (nvcc -arch=sm_80 -o \"a|b\" '<a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts",
        "path": "./my docker/Dockerfile",
        "related": [
          {
            "message": "the list stands here",
            "path": "./my docker/Dockerfile",
            "role": "cause",
            "span": {
              "column": 10,
              "end_column": 38,
              "end_line": 5,
              "length": 28,
              "line": 5,
              "offset": 181
            }
          }
        ],
        "rule": "fleet-gpu-jit-only",
        "severity": "warning",
        "span": {
          "column": 5,
          "end_column": 39,
          "end_line": 5,
          "length": 34,
          "line": 5,
          "offset": 176
        },
        "url": "https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG202-fleet-gpu-jit-only.yaml"
      }
    ]
    "#);
}

#[test]
fn code_scanning() {
    let mut log: Value = serde_json::from_str(&written(Format::Sarif)).unwrap();
    for rule in log["runs"][0]["tool"]["driver"]["rules"]
        .as_array_mut()
        .unwrap()
    {
        for text in ["text", "markdown"] {
            let docs = rule["help"][text].as_str().unwrap();
            assert!(docs.contains("\n## When not to listen\n"), "{docs}");
            rule["help"][text] = "…".into();
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap(), @r#"
    {
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "runs": [
        {
          "columnKind": "unicodeCodePoints",
          "invocations": [
            {
              "executionSuccessful": true,
              "toolExecutionNotifications": []
            }
          ],
          "results": [
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 37,
                      "endLine": 3,
                      "startColumn": 5,
                      "startLine": 3
                    }
                  }
                }
              ],
              "message": {
                "text": "nvcc (nvcc -arch=sm_90 -o fast fast.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU\nfor this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`"
              },
              "partialFingerprints": {
                "kimgLint/v1": "ee1111f7d72edebe"
              },
              "properties": {
                "confidence": "certain"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "the list stands here"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 37,
                      "endLine": 3,
                      "startColumn": 10,
                      "startLine": 3
                    }
                  }
                }
              ],
              "ruleId": "KIMG201",
              "ruleIndex": 0,
              "suppressions": [
                {
                  "justification": "only the H100 nodes run it",
                  "kind": "inSource",
                  "status": "accepted"
                }
              ]
            },
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 37,
                      "endLine": 4,
                      "startColumn": 5,
                      "startLine": 4
                    }
                  }
                }
              ],
              "message": {
                "text": "nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU\nfor this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`"
              },
              "partialFingerprints": {
                "kimgLint/v1": "640813d4f49fd04e"
              },
              "properties": {
                "confidence": "certain"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "the list stands here"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 37,
                      "endLine": 4,
                      "startColumn": 10,
                      "startLine": 4
                    }
                  }
                }
              ],
              "ruleId": "KIMG201",
              "ruleIndex": 0,
              "suppressions": []
            },
            {
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 39,
                      "endLine": 5,
                      "startColumn": 5,
                      "startLine": 5
                    }
                  }
                }
              ],
              "message": {
                "text": "nvcc (nvcc -arch=sm_80 -o \"a|b\" '<a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts\nfor machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`"
              },
              "partialFingerprints": {
                "kimgLint/v1": "29dd041ecd086ae1"
              },
              "properties": {
                "confidence": "certain"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "the list stands here"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "my%20docker/Dockerfile"
                    },
                    "region": {
                      "endColumn": 38,
                      "endLine": 5,
                      "startColumn": 10,
                      "startLine": 5
                    }
                  }
                }
              ],
              "ruleId": "KIMG202",
              "ruleIndex": 1,
              "suppressions": []
            }
          ],
          "tool": {
            "driver": {
              "informationUri": "https://github.com/kimg-lint/kimg-lint",
              "name": "kimg-lint",
              "rules": [
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "fullDescription": {
                    "text": "The architectures that are compiled leave out a GPU of the fleet"
                  },
                  "help": {
                    "markdown": "…",
                    "text": "…"
                  },
                  "helpUri": "https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG201-fleet-gpu-missing.yaml",
                  "id": "KIMG201",
                  "name": "fleet-gpu-missing",
                  "properties": {
                    "problem.severity": "error",
                    "tags": [
                      "cuda"
                    ]
                  },
                  "shortDescription": {
                    "text": "The architectures that are compiled leave out a GPU of the fleet"
                  }
                },
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "fullDescription": {
                    "text": "A GPU of the fleet is reached only by PTX, which its driver compiles when the program starts"
                  },
                  "help": {
                    "markdown": "…",
                    "text": "…"
                  },
                  "helpUri": "https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG202-fleet-gpu-jit-only.yaml",
                  "id": "KIMG202",
                  "name": "fleet-gpu-jit-only",
                  "properties": {
                    "problem.severity": "error",
                    "tags": [
                      "cuda"
                    ]
                  },
                  "shortDescription": {
                    "text": "A GPU of the fleet is reached only by PTX, which its driver compiles when the program starts"
                  }
                }
              ],
              "semanticVersion": "1.2.3"
            }
          }
        }
      ],
      "version": "2.1.0"
    }
    "#);
}

/// What the schema of SARIF 2.1.0 and GitHub's documentation of what it takes ask for.
#[test]
fn code_scanning_takes_every_result() {
    let log: Value = serde_json::from_str(&written(Format::Sarif)).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let level = result["level"].as_str().unwrap();
        assert!(["error", "warning", "note"].contains(&level));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let location = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            location["artifactLocation"]["uri"],
            "my%20docker/Dockerfile"
        );
        let region = &location["region"];
        for number in ["startLine", "startColumn", "endLine", "endColumn"] {
            assert!(region[number].as_u64().unwrap() >= 1);
        }
        for suppression in result["suppressions"].as_array().unwrap() {
            let kind = suppression["kind"].as_str().unwrap();
            assert!(["inSource", "external"].contains(&kind));
        }
    }
    let prints = results.iter().map(|r| r["partialFingerprints"].to_string());
    let prints: std::collections::BTreeSet<_> = prints.collect();
    assert_eq!(prints.len(), results.len());
}

#[test]
fn annotations() {
    insta::assert_snapshot!(written(Format::Github), @r#"
    ::error file=my docker/Dockerfile,line=4,col=5,endColumn=37,title=KIMG201 fleet-gpu-missing::nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU%0Afor this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`
    ::warning file=my docker/Dockerfile,line=5,col=5,endColumn=39,title=KIMG202 fleet-gpu-jit-only::nvcc (nvcc -arch=sm_80 -o "a|b" '<a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts%0Afor machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`
    "#);
}

#[test]
fn annotations_stay_below_the_limit_of_github() {
    let mut report = report();
    let one = report.counted().next().unwrap().clone();
    for line in 1..=13 {
        let mut more = one.clone();
        more.path = "::error::a\n##[error]b,c%d".to_owned();
        more.span.line = line;
        report.findings.insert(0, more);
    }
    let mut out = Vec::new();
    let none = |_: &mut dyn std::io::Write| Ok(());
    Format::Github.write(&report, &mut out, none).unwrap();
    let text = String::from_utf8(out).unwrap();
    let starts: Vec<_> = text
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let expected = [vec!["::error"; 10], vec!["::warning"], vec!["not"; 4]].concat();
    assert_eq!(starts, expected, "{text}");
    assert!(text.contains("::error file=%3A%3Aerror%3A%3Aa%0A##[error]b%2Cc%25d,line=1"));
    let others = text.lines().skip(11);
    assert!(others.clone().all(|line| !line.contains("##[")), "{text}");
}

#[test]
fn code_quality() {
    insta::assert_snapshot!(pretty(Format::Gitlab), @r#"
    [
      {
        "categories": [
          "Compatibility"
        ],
        "check_name": "KIMG201",
        "description": "KIMG201: nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU\nfor this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`",
        "fingerprint": "640813d4f49fd04e",
        "location": {
          "lines": {
            "begin": 4,
            "end": 4
          },
          "path": "my docker/Dockerfile"
        },
        "severity": "critical",
        "type": "issue"
      },
      {
        "categories": [
          "Compatibility"
        ],
        "check_name": "KIMG202",
        "description": "KIMG202: nvcc (nvcc -arch=sm_80 -o \"a|b\" '<a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts\nfor machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`",
        "fingerprint": "29dd041ecd086ae1",
        "location": {
          "lines": {
            "begin": 5,
            "end": 5
          },
          "path": "my docker/Dockerfile"
        },
        "severity": "major",
        "type": "issue"
      }
    ]
    "#);
}

#[test]
fn junit() {
    insta::assert_snapshot!(written(Format::Junit), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite id="0" package="kimg-lint" name="my docker/Dockerfile" timestamp="2026-11-30T12:00:00" hostname="localhost" tests="3" failures="2" errors="0" skipped="1" time="0">
        <properties/>
        <testcase classname="my docker/Dockerfile" name="KIMG201 fleet-gpu-missing 3:5" time="0"><skipped message="only the H100 nodes run it">nvcc (nvcc -arch=sm_90 -o fast fast.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU</skipped></testcase>
        <testcase classname="my docker/Dockerfile" name="KIMG201 fleet-gpu-missing 4:5" time="0"><failure type="error" message="nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU">my docker/Dockerfile:4:5
    nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU
    for this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`</failure></testcase>
        <testcase classname="my docker/Dockerfile" name="KIMG202 fleet-gpu-jit-only 5:5" time="0"><failure type="warning" message="nvcc (nvcc -arch=sm_80 -o &quot;a|b&quot; '&lt;a&gt;.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts">my docker/Dockerfile:5:5
    nvcc (nvcc -arch=sm_80 -o &quot;a|b&quot; '&lt;a&gt;.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts
    for machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`</failure></testcase>
        <system-out/>
        <system-err/>
      </testsuite>
    </testsuites>
    "#);
}

#[test]
fn summary() {
    insta::assert_snapshot!(written(Format::Markdown), @r#"
    ## kimg-lint: 1 error, 1 warning in 1 file (3 builds); 1 suppressed

    | | rule | place | finding |
    |---|---|---|---|
    | error | [KIMG201](https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG201-fleet-gpu-missing.yaml) | `my docker/Dockerfile:4` | nvcc (nvcc -arch=sm\_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm\_90 and compute\_90, and PTX runs on no older GPU |
    | warning | [KIMG202](https://github.com/kimg-lint/kimg-lint/blob/main/rules/KIMG202-fleet-gpu-jit-only.yaml) | `my docker/Dockerfile:5` | nvcc (nvcc -arch=sm\_80 -o "a\|b" '&lt;a>.cu') has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute\_80 runs there, which the driver compiles when the program starts |

    | builds | NVIDIA A100-SXM4-40GB (8.0) | NVIDIA H100 80GB HBM3 (9.0) |
    |---|---|---|
    | ./my docker/Dockerfile:3 nvcc | missing | native |
    | ./my docker/Dockerfile:4 nvcc | missing | native |
    | ./my docker/Dockerfile:5 nvcc | native | jit |

    <details><summary>1 suppressed</summary>

    - KIMG201 `my docker/Dockerfile:3`: only the H100 nodes run it

    </details>
    "#);
}

/// All but the style and the script.
#[test]
fn page() {
    let page = written(Format::Html);
    let main = page.find("<main>").unwrap()..page.find("</main>").unwrap();
    insta::assert_snapshot!(&page[main], @r#"
    <main>
    <section class="grid">
    <h2>Builds by GPUs</h2>
    <div class="wide"><table>
    <thead><tr><th scope="col">builds</th><th scope="col">NVIDIA A100-SXM4-40GB <span class="soft">8.0</span></th><th scope="col">NVIDIA H100 80GB HBM3 <span class="soft">9.0</span></th></tr></thead>
    <tbody>
    <tr><th scope="row">.&#x2f;my docker&#x2f;Dockerfile:3 nvcc</th><td class="cell missing">missing</td><td class="cell native" title="sm_90">native</td></tr>
    <tr><th scope="row">.&#x2f;my docker&#x2f;Dockerfile:4 nvcc</th><td class="cell missing">missing</td><td class="cell native" title="sm_90">native</td></tr>
    <tr><th scope="row">.&#x2f;my docker&#x2f;Dockerfile:5 nvcc</th><td class="cell native" title="sm_80">native</td><td class="cell jit" title="compute_80">jit</td></tr>
    </tbody>
    </table></div>
    </section>
    <dl><div><dt class="native">native</dt><dd>every kernel has machine code</dd></div><div><dt class="jit">jit</dt><dd>the driver compiles PTX at the first start</dd></div><div><dt class="partial">partial</dt><dd>some kernels have nothing for it</dd></div><div><dt class="missing">missing</dt><dd>nothing runs there</dd></div><div><dt class="blocked">blocked</dt><dd>its driver does not compile the PTX</dd></div><div><dt class="unknown">unknown</dt><dd>cannot be told, and is no pass</dd></div></dl>
    <section id="findings">
    <h2>Findings</h2>
    <form id="filter" hidden>
    <input type="search" id="words" placeholder="words of a finding" aria-label="words of a finding">
    <label><input type="checkbox" value="error" checked> errors (1)</label>
    <label><input type="checkbox" value="warning" checked> warnings (1)</label>
    <label><input type="checkbox" value="info" checked> infos (0)</label>
    <label><input type="checkbox" value="suppressed" checked> suppressed (1)</label>
    <output id="shown" class="soft"></output>
    </form>
    <article class="finding error quiet" data-kind="suppressed">
    <b>error</b> <a href="https:&#x2f;&#x2f;github.com&#x2f;kimg-lint&#x2f;kimg-lint&#x2f;blob&#x2f;main&#x2f;rules&#x2f;KIMG201-fleet-gpu-missing.yaml" rel="noreferrer">KIMG201 fleet-gpu-missing</a> <span class="place">.&#x2f;my docker&#x2f;Dockerfile:3:5</span>
    <p>nvcc (nvcc -arch=sm_90 -o fast fast.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU</p>
    <pre><span class="soft">3</span>  RUN nvcc -arch=sm_90 -o fast fast.cu
    </pre>
    <ul><li><span class="place">.&#x2f;my docker&#x2f;Dockerfile:3:10</span> the list stands here</li></ul>
    <p>for this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`</p>
    <p class="soft">suppressed by comment: only the H100 nodes run it</p>
    </article>
    <article class="finding error" data-kind="error">
    <b>error</b> <a href="https:&#x2f;&#x2f;github.com&#x2f;kimg-lint&#x2f;kimg-lint&#x2f;blob&#x2f;main&#x2f;rules&#x2f;KIMG201-fleet-gpu-missing.yaml" rel="noreferrer">KIMG201 fleet-gpu-missing</a> <span class="place">.&#x2f;my docker&#x2f;Dockerfile:4:5</span>
    <p>nvcc (nvcc -arch=sm_90 -o tool tool.cu) leaves out NVIDIA A100-SXM4-40GB (8.0): it holds sm_90 and compute_90, and PTX runs on no older GPU</p>
    <pre><span class="soft">4</span>  RUN nvcc -arch=sm_90 -o tool tool.cu
    </pre>
    <ul><li><span class="place">.&#x2f;my docker&#x2f;Dockerfile:4:10</span> the list stands here</li></ul>
    <p>for this fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`</p>
    </article>
    <article class="finding warning" data-kind="warning">
    <b>warning</b> <a href="https:&#x2f;&#x2f;github.com&#x2f;kimg-lint&#x2f;kimg-lint&#x2f;blob&#x2f;main&#x2f;rules&#x2f;KIMG202-fleet-gpu-jit-only.yaml" rel="noreferrer">KIMG202 fleet-gpu-jit-only</a> <span class="place">.&#x2f;my docker&#x2f;Dockerfile:5:5</span>
    <p>nvcc (nvcc -arch=sm_80 -o &quot;a|b&quot; &#x27;&lt;a&gt;.cu&#x27;) has no machine code for NVIDIA H100 80GB HBM3 (9.0): only compute_80 runs there, which the driver compiles when the program starts</p>
    <pre><span class="soft">5</span>  RUN nvcc -arch=sm_80 -o &quot;a|b&quot; &#x27;&lt;a&gt;.cu&#x27;
    </pre>
    <ul><li><span class="place">.&#x2f;my docker&#x2f;Dockerfile:5:10</span> the list stands here</li></ul>
    <p>for machine code on the whole fleet, write `-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_90,code=compute_90`</p>
    </article>
    </section>
    <section id="builds">
    <h2>Builds</h2>
    <div class="wide"><table>
    <thead><tr><th scope="col">build</th><th scope="col">command</th><th scope="col">list</th><th scope="col">images</th><th scope="col">what happens</th></tr></thead>
    <tbody>
    <tr><td>nvcc<br><span class="place">.&#x2f;my docker&#x2f;Dockerfile:3:5</span></td><td><code>nvcc -arch=sm_90 -o fast fast.cu</code></td><td><code>-gencode&#x2f;-arch&#x2f;-code=-arch=sm_90 -o fast fast.cu</code></td><td><code>sm_90 compute_90</code></td><td>it compiles for sm_90, compute_90</td></tr>
    <tr><td>nvcc<br><span class="place">.&#x2f;my docker&#x2f;Dockerfile:4:5</span></td><td><code>nvcc -arch=sm_90 -o tool tool.cu</code></td><td><code>-gencode&#x2f;-arch&#x2f;-code=-arch=sm_90 -o tool tool.cu</code></td><td><code>sm_90 compute_90</code></td><td>it compiles for sm_90, compute_90</td></tr>
    <tr><td>nvcc<br><span class="place">.&#x2f;my docker&#x2f;Dockerfile:5:5</span></td><td><code>nvcc -arch=sm_80 -o &quot;a|b&quot; &#x27;&lt;a&gt;.cu&#x27;</code></td><td><code>-gencode&#x2f;-arch&#x2f;-code=-arch=sm_80 -o a|b &lt;a&gt;.cu</code></td><td><code>sm_80 compute_80</code></td><td>it compiles for sm_80, compute_80</td></tr>
    </tbody>
    </table></div>
    </section>
    "#);
}

#[test]
fn the_page_needs_nothing_else() {
    let page = written(Format::Html);
    for word in [
        "src=",
        "@import",
        "url(",
        "fetch(",
        "<link rel=\"stylesheet\"",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

/// A file of which nothing is said is a test that passes.
#[test]
fn a_clean_file_is_a_test_that_passes() {
    let config = Config::new(&[]).unwrap();
    let mut report = lint_text(
        "Dockerfile",
        "FROM a\n",
        &config,
        Path::new("/r/Dockerfile"),
    )
    .unwrap();
    report.time = "2026-11-30T12:00:00".to_owned();
    let mut out = Vec::new();
    Format::Junit.write(&report, &mut out, |_| Ok(())).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite id="0" package="kimg-lint" name="Dockerfile" timestamp="2026-11-30T12:00:00" hostname="localhost" tests="1" failures="0" errors="0" skipped="0" time="0">
        <properties/>
        <testcase classname="Dockerfile" name="nothing found" time="0"/>
        <system-out/>
        <system-err/>
      </testsuite>
    </testsuites>
    "#);
}

/// A folder with a Dockerfile.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Dockerfile"), TEXT).unwrap();
    folder
}

fn kimg_lint(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::cargo_bin("kimg-lint").unwrap();
    let output = command
        .current_dir(folder)
        .args(["--fleet", "A100,H100", "Dockerfile"])
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn several_at_once() {
    let folder = folder();
    let arguments = [
        "--output",
        "github=-",
        "--output",
        "sarif=a.sarif",
        "--output",
        "junit=b=c.xml",
    ];
    let (status, out, _) = kimg_lint(folder.path(), &arguments);
    assert_eq!(status, Some(1));
    assert!(out.starts_with("::error file=Dockerfile,line=4,"), "{out}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("a.sarif").starts_with("{\"$schema\""));
    assert!(read("b=c.xml").starts_with("<?xml"));
    let (_, out, _) = kimg_lint(folder.path(), &["--output", "json=c.json"]);
    assert!(out.starts_with("error[KIMG201]"), "people read on: {out}");
    let (_, out, _) = kimg_lint(
        folder.path(),
        &["--output", "json=c.json", "--format", "concise"],
    );
    assert!(out.starts_with("Dockerfile:4:5: "), "{out}");
}

#[test]
fn outputs_are_checked() {
    let folder = folder();
    for (arguments, expected) in [
        (&["--output", "sarif"][..], "a format and a file are needed"),
        (&["--output", "sarif="], "a format and a file are needed"),
        (&["--output", "xml=a"], "`xml` is none of human, concise,"),
        (
            &["--output", "json=a", "--output", "sarif=a"],
            "two results would go to a",
        ),
        (
            &["--output", "json=-", "--format", "json"],
            "two results would go to standard output",
        ),
        (&["--output", "json=no/such/folder/a"], "no/such/folder/a: "),
    ] {
        let (status, _, error) = kimg_lint(folder.path(), arguments);
        assert_eq!(status, Some(2), "{arguments:?}");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
}

/// What was there stays until the new file is whole; links and permissions stay for good.
#[cfg(unix)]
#[test]
fn a_file_is_replaced_whole() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let path = folder.path().join("report.json");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("report.json", folder.path().join("link")).unwrap();
    kimg_lint(folder.path(), &["--output", "json=link"]);
    let is_link = folder
        .path()
        .join("link")
        .symlink_metadata()
        .unwrap()
        .is_symlink();
    let mode = path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((is_link, mode), (true, 0o640));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('{'));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 3, "nothing else is left");
}

#[test]
fn every_format_is_described() {
    let page = std::fs::read_to_string("docs/formats.md").unwrap();
    let manual = std::fs::read_to_string("docs/cli.md").unwrap();
    for format in Format::all() {
        let told = format!("{}:", format.name());
        let is_told = manual.split_whitespace().any(|word| word == told);
        assert!(is_told, "--format does not say what {format:?} is");
        let row = format!("\n| `{}` |", format.name());
        assert!(
            page.contains(&row),
            "docs/formats.md has no row for {format:?}"
        );
    }
}

/// Whoever reads may stop early.
#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    for format in Format::all() {
        let format = &format.name();
        let folder = folder();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_kimg-lint"))
            .current_dir(folder.path())
            .args(["--fleet", "A100,H100", "--format", format, "Dockerfile"])
            .stdout(writer)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(output.stderr.is_empty(), "{format}");
    }
}
