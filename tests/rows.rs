//! Every row of every builder record is reached: by its examples, on some base, with what the row asks for.
use kimg_lint::builders::record::{Cond, Place, Presence, Record, Take, Test, YesNo};
use kimg_lint::builders::records::{RECORDS, examples};
use kimg_lint::lint::{Options, traces};
use kimg_lint::table::{One, Text};
use std::collections::BTreeSet;

/// Images that differ in nvcc and torch.
const BASES: [&str; 7] = [
    "pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel",
    "nvidia/cuda:13.0.1-devel-ubuntu24.04",
    "nvidia/cuda:11.3.1-devel-ubuntu20.04",
    "nvidia/cuda:12.8.1-devel-ubuntu22.04",
    "python:3.12-slim",
    "pytorch/pytorch:1.8.1-cuda11.1-cudnn8-devel",
    "registry.example/unknown:1",
];

/// Commands that reach rows which no example and no switch alone leads to.
const COMMANDS: [(&str, &str); 24] = [
    ("bindgen_cuda", "cargo add bindgen_cuda && cargo build"),
    ("bitsandbytes", "cd bitsandbytes && make"),
    ("cudaforge", "cargo add --build cudaforge && cargo build"),
    (
        "cudaforge",
        "cargo add --build cudaforge && cargo build --features cuda",
    ),
    ("cupy", "cd cupy && python setup.py develop"),
    ("findcuda-legacy", "cmake -B build -DCUDA_NVCC_FLAGS=-O3"),
    ("cutlass", "cd cutlass && pip install ."),
    ("darknet", "cd darknet && cmake -B build -DENABLE_CUDA=OFF"),
    (
        "dlib",
        "pip install cmake==3.22.1 && cd dlib && cmake -B build -DDLIB_USE_CUDA=1",
    ),
    ("faiss", "cd faiss && pip install ."),
    ("flash-attn-3-hopper", "pip install flash-attn-3"),
    ("jax", "cd jax && pip install ."),
    ("kaolin", "pip install kaolin"),
    ("kaolin", "pip install kaolin --only-binary :all:"),
    ("lc0", "cd lc0 && meson setup build -Dnvcc=false"),
    ("magma", "cd magma && cmake -B build -DMAGMA_ENABLE_HIP=ON"),
    ("magma", "cd magma && make"),
    ("open3d", "cd Open3D && make"),
    ("tensorflow", "cd tensorflow && pip install ."),
    (
        "text-generation-inference",
        "cd text-generation-inference/server/custom_kernels && pip install .",
    ),
    (
        "text-generation-inference",
        "cd text-generation-inference/server/custom_kernels && python setup.py install",
    ),
    (
        "deformable-detr-ops",
        "cd models/ops && python setup.py install",
    ),
    ("ollama", "cd ollama && make"),
    (
        "torch-cpp-extension-jit",
        // the module that is imported is written before
        "true\nCOPY <<EOF /m.py\nfrom torch.utils.cpp_extension import load\nload('a', ['a.cu'])\nEOF\nRUN cd / && python -c 'import m'",
    ),
];

/// A Dockerfile in the making.
#[derive(Clone, Default)]
struct Setup {
    env: Vec<(String, String)>,
    defines: Vec<(String, String)>,
    arguments: Vec<String>,
    gpu: bool,
}

impl Setup {
    fn dockerfile(&self, base: &str, run: &str, env: &[(String, String)]) -> String {
        let mut text = format!("FROM {base}\n");
        for (name, value) in env.iter().chain(&self.env) {
            text += &format!("ENV {name}=\"{}\"\n", value.replace('"', "\\\""));
        }
        let defines: Vec<String> = self
            .defines
            .iter()
            .map(|(name, value)| format!("'-D{name}={value}'"))
            .collect();
        let defines = defines.join(" ");
        if !defines.is_empty() && !run.contains("cmake ") {
            text += &format!("ENV CMAKE_ARGS=\"{defines}\"\n");
        }
        let device = if self.gpu {
            "--device=nvidia.com/gpu=all "
        } else {
            ""
        };
        let run = if run.contains("cmake ") && !defines.is_empty() {
            run.replacen("cmake ", &format!("cmake {defines} "), 1)
        } else {
            run.to_owned()
        };
        text + &format!("RUN {device}{run} {}\n", self.arguments.join(" "))
    }

    /// What makes `cond` hold, in every way that it can hold.
    fn ways(self, cond: &Cond, record: &Record) -> Vec<Self> {
        let mut setup = self;
        let given = |tests: &kimg_lint::table::Pairs<Test>| -> Vec<(String, String)> {
            let value = |test: &Test| match test {
                Test::On | Test::Set => Some("1".to_owned()),
                Test::Off => Some("0".to_owned()),
                Test::Is(v) | Test::Has(v) => Some(v.to_string()),
                Test::IsNot(_) => Some("other".to_owned()),
                Test::Unset => None,
            };
            tests
                .iter()
                .filter_map(|(name, test)| Some((name.to_string(), value(test)?)))
                .collect()
        };
        setup.env.extend(given(&cond.env));
        setup.defines.extend(given(&cond.define));
        for (name, value) in given(&cond.make) {
            setup.arguments.push(format!("{name}={value}"));
        }
        for (name, value) in given(&cond.config_setting) {
            setup.arguments.push(format!("-C {name}={value}"));
        }
        for (name, value) in given(&cond.repo_env) {
            setup.arguments.push(format!("--repo_env={name}={value}"));
        }
        for option in cond.option.iter().take(1) {
            setup.arguments.push(format!("--{}", &**option));
        }
        for feature in cond.feature.iter().take(1) {
            setup.arguments.push(format!("--features {}", &**feature));
        }
        for target in cond.target.iter().take(1) {
            setup.arguments.push(target.to_string());
        }
        setup.gpu |= cond.gpu == Some(YesNo::Yes);
        let mut ways = vec![setup];
        if cond.list == Some(Presence::Set) {
            ways = ways.into_iter().flat_map(|s| s.with_list(record)).collect();
        }
        for group in [&cond.any] {
            if !group.is_empty() {
                ways = ways
                    .into_iter()
                    .flat_map(|s| {
                        group
                            .iter()
                            .flat_map(move |c| s.clone().ways(c, record))
                            .collect::<Vec<_>>()
                    })
                    .collect();
            }
        }
        ways
    }

    fn with_list(&self, record: &Record) -> Vec<Self> {
        let torch = (Text("TORCH_CUDA_ARCH_LIST"), Place::Env);
        let own = record.knobs.iter().flat_map(|k| k.0);
        let own = own.filter(|k| k.take != Take::Switch);
        let knobs = own.map(|k| (k.name, k.place)).chain([torch]);
        let one = knobs.flat_map(|(name, place)| {
            ["80", "8.0", "sm_80", "-gencode=arch=compute_80,code=sm_80"].map(|value| {
                let mut setup = self.clone();
                let pair = (name.to_string(), value.to_owned());
                match place {
                    Place::Define => setup.defines.push(pair),
                    Place::Make => setup.arguments.push(format!("{}={value}", pair.0)),
                    Place::Flag => setup.arguments.push(value.to_owned()),
                    Place::Option => setup.arguments.push(format!("--{}={value}", pair.0)),
                    Place::ConfigSetting => setup.arguments.push(format!("-C {}={value}", pair.0)),
                    Place::RepoEnv => setup
                        .arguments
                        .push(format!("--repo_env={}={value}", pair.0)),
                    _ => setup.env.push(pair),
                }
                setup
            })
        });
        one.collect()
    }
}

/// What makes the row hold; and, to get past the rows before it, with each variable that the record asks for, on and off.
fn setups(rows: &[(Row, Cond)], cond: &Cond, record: &Record) -> Vec<Setup> {
    let mut setups = Setup::default().ways(cond, record);
    setups.push(Setup::default());
    let on_gpu = Setup {
        gpu: true,
        ..Setup::default()
    };
    setups.extend(on_gpu.ways(cond, record));
    let tests = rows.iter().flat_map(|(_, other)| variables(other));
    for (name, value) in tests.collect::<BTreeSet<_>>() {
        for value in [value.as_str(), "1", "0"] {
            let mut setup = Setup::default();
            setup.env.push((name.clone(), value.to_owned()));
            setup.defines.push((name.clone(), value.to_owned()));
            setups.extend(setup.ways(cond, record));
        }
    }
    setups
}

/// The variables that a condition asks for, with the values named.
fn variables(cond: &Cond) -> Vec<(String, String)> {
    let value = |test: &Test| match test {
        Test::Is(v) | Test::IsNot(v) | Test::Has(v) => v.to_string(),
        _ => "1".to_owned(),
    };
    let own = cond.env.iter().chain(cond.define.iter());
    let own = own.map(|(name, test)| (name.to_string(), value(test)));
    let inner = cond.any.iter().chain(cond.not.iter()).flat_map(variables);
    own.chain(inner).collect()
}

/// A command that installs a wheel by its address, where one is asked for.
fn wheel(cond: &Cond, record: &Record) -> Option<String> {
    let Text(name) = record.matches.iter().find_map(|m| m.pypi)?;
    let file = name.replace('-', "_");
    let address = format!("https://files.example/{file}-9.9.9-cp312-cp312-linux_x86_64.whl");
    (cond.wheel == Some(Text("url"))).then(|| format!("pip install {address}"))
}

type Row = (String, String, String);

/// The rows that a Dockerfile reaches for sure.
fn reached(text: &str, record: &str) -> Vec<Row> {
    let traces = traces("Dockerfile", text, &Options::default());
    let of_record = traces.into_iter().filter(|t| t.record.id == record);
    of_record
        .flat_map(|t| t.compiles.into_iter().chain(t.outcome))
        .map(|row| (row.when, row.then, row.say))
        .collect()
}

/// A command, with what is set in the environment.
type Command = (String, Vec<(String, String)>);

/// The commands that a record is tried with.
fn commands(record: &Record) -> Vec<Command> {
    let by_hand = COMMANDS.iter().filter(|(id, _)| *id == &*record.id);
    let by_hand = by_hand.map(|(_, run)| ((*run).to_owned(), Vec::new()));
    let examples = examples(record).iter().map(|e| {
        let env = e.env.iter().map(|(n, v)| (n.to_string(), v.to_string()));
        (e.run.to_string(), env.collect())
    });
    by_hand.chain(examples).collect()
}

/// Whether some command with some setup on some base reaches `row`; what else is reached goes into `found`.
fn search(
    row: &Row,
    found: &mut BTreeSet<Row>,
    cond: &Cond,
    record: &Record,
    rows: &[(Row, Cond)],
) -> bool {
    let setups = setups(rows, cond, record);
    for (run, env) in commands(record) {
        let run = wheel(cond, record).unwrap_or(run);
        for base in BASES {
            for setup in &setups {
                found.extend(reached(&setup.dockerfile(base, &run, &env), &record.id));
                if found.contains(row) {
                    return true;
                }
            }
        }
    }
    false
}

/// The rows of a record, with their conditions.
fn rows(record: &Record) -> Vec<(Row, Cond)> {
    let show = |when: &Option<One<Cond>>| when.map(|c| c.to_string()).unwrap_or_default();
    let compiles = record.compiles.iter().flat_map(|l| l.0).map(|row| {
        let then = format!("{:?}", row.then).to_lowercase();
        (
            (show(&row.when), then, row.say.to_string()),
            row.when.map_or_else(Cond::default, |when| *when),
        )
    });
    let outcome = record.outcome.iter().flat_map(|l| l.0).map(|row| {
        (
            (show(&row.when), row.then.to_string(), row.say.to_string()),
            row.when.map_or_else(Cond::default, |when| *when),
        )
    });
    compiles.chain(outcome).collect()
}

#[test]
fn every_row_is_reached() {
    let mut missing = Vec::new();
    let mut count = 0;
    for record in RECORDS.iter().filter(|r| !examples(r).is_empty()) {
        let rows = rows(record);
        count += rows.len();
        let commands = commands(record);
        let plain = commands
            .iter()
            .map(|(run, env)| Setup::default().dockerfile(BASES[0], run, env));
        let mut found: BTreeSet<Row> = plain.flat_map(|text| reached(&text, &record.id)).collect();
        for (row, cond) in &rows {
            if found.contains(row) {
                continue;
            }
            if !search(row, &mut found, cond, record, &rows) {
                missing.push(format!(
                    "{}: if {} then {} ({})",
                    &*record.id, row.0, row.1, row.2
                ));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "{} of {count} rows are reached by nothing:\n{}",
        missing.len(),
        missing.join("\n")
    );
}
