//! Dockerfiles to measure with: the same ones in every run.

/// The sizes that the targets speak of.
pub const FILES: usize = 500;
/// Lines of the long file, and of the long RUN.
pub const LINES: usize = 10_000;

/// Small pseudo-random numbers, after Knuth's MMIX; the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % n
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

const CUDA: [&str; 4] = ["11.8.0", "12.1.1", "12.4.1", "12.8.1"];
const TORCH: [&str; 3] = ["2.3.1", "2.5.1", "2.7.1"];
const LISTS: [&str; 4] = ["8.0;8.6;9.0+PTX", "7.5 8.0 8.6+PTX", "9.0", "8.0,9.0"];
const TOOLS: [&str; 6] = [
    "git",
    "cmake",
    "curl",
    "ninja-build",
    "python3-pip",
    "libgl1",
];
const LIBRARIES: [&str; 5] = [
    "numpy==1.26.4",
    "pillow",
    "einops",
    "transformers>=4.40",
    "ninja",
];
const BUILDS: [&str; 8] = [
    "pip install --no-build-isolation git+https://github.com/nerfstudio-project/gsplat",
    "FORCE_CUDA=1 pip install --no-build-isolation git+https://github.com/facebookresearch/pytorch3d",
    "pip install flash-attn==2.7.4.post1 --no-build-isolation",
    "CMAKE_ARGS=\"-DGGML_CUDA=on\" pip install llama-cpp-python==0.3.2",
    "cmake -S /src -B /build -DUSE_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=80 && cmake --build /build -j",
    "cd /src && python3 setup.py bdist_wheel",
    "nvcc -O3 -arch=sm_80 -o /usr/local/bin/tool tool.cu",
    "git clone --depth 1 https://github.com/colmap/colmap /colmap && cmake -S /colmap -B /colmap/build",
];

/// A file of 60 lines, as projects that serve a model have it.
pub fn one() -> String {
    let mut text = String::from(
        "# syntax=docker/dockerfile:1\nARG CUDA=12.4.1\n\nFROM nvidia/cuda:${CUDA}-devel-ubuntu22.04 AS base\n\
         ARG PYTHON=3.11\nENV DEBIAN_FRONTEND=noninteractive \\\n    PIP_NO_CACHE_DIR=1\n\
         SHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]\nWORKDIR /srv\n\nRUN apt-get update \\\n",
    );
    for tool in TOOLS.iter().cycle().take(12) {
        text += &format!("    && apt-get install -y --no-install-recommends {tool} \\\n");
    }
    text += "    && rm -rf /var/lib/apt/lists/*\n\nFROM base AS build\nARG TORCH_CUDA_ARCH_LIST=\"8.0;8.6;9.0+PTX\"\n";
    text += "RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124\nCOPY . /src\n";
    for build in BUILDS {
        text += &format!("\nRUN set -eux; \\\n    {build}\n");
    }
    text +=
        "\nFROM base AS serve\nCOPY --from=build /usr/local /usr/local\nUSER 1000\nEXPOSE 8000\n";
    text + "HEALTHCHECK CMD curl -f http://localhost:8000/health || exit 1\nENTRYPOINT [\"python3\", \"-m\", \"serve\"]\n"
}

/// Files of 20 to 70 lines, none like another.
pub fn many() -> Vec<String> {
    let mut dice = Dice(20_261_130);
    (0..FILES).map(|_| varied(&mut dice)).collect()
}

fn varied(dice: &mut Dice) -> String {
    let mut text = format!("FROM nvidia/cuda:{}-devel-ubuntu22.04\n", dice.pick(&CUDA));
    text += &format!(
        "RUN pip install torch=={}\nCOPY . /src\n",
        dice.pick(&TORCH)
    );
    for _ in 0..4 + dice.below(12) {
        text += &instruction(dice);
    }
    text
}

fn instruction(dice: &mut Dice) -> String {
    match dice.below(8) {
        0 => format!("ENV TORCH_CUDA_ARCH_LIST=\"{}\"\n", dice.pick(&LISTS)),
        1 => format!(
            "ARG WITH_{}=1\nENV MODE=${{WITH_{0}:-off}}\n",
            dice.below(90)
        ),
        2 => format!(
            "RUN apt-get update && apt-get install -y {} {} \\\n    && rm -rf /var/lib/apt/lists/*\n",
            dice.pick(&TOOLS),
            dice.pick(&TOOLS)
        ),
        3 => format!(
            "RUN python3 -m pip install {} {}\n",
            dice.pick(&LIBRARIES),
            dice.pick(&LIBRARIES)
        ),
        4 => format!(
            "RUN <<EOF\nset -e\nmkdir -p /data/{0}\necho {0} > /data/{0}/name\nEOF\n",
            dice.below(99)
        ),
        5 => format!(
            "RUN if [ \"$MODE\" = 1 ]; then \\\n        {}; \\\n    else echo none; fi\n",
            dice.pick(&BUILDS)
        ),
        _ => format!("RUN {}\n", dice.pick(&BUILDS)),
    }
}

/// Files of 50 builds each, of which two things are said for a fleet of A100, L4, H100 and B200: 10,000 in all.
pub fn full_of_findings() -> Vec<String> {
    let build = |number: usize| {
        format!("RUN nvcc -gencode=arch=compute_86,code=sm_86 -o tool{number} tool{number}.cu\n")
    };
    let file = "FROM nvidia/cuda:12.8.1-devel-ubuntu22.04\n".to_owned();
    let file = (0..50).fold(file, |file, number| file + &build(number));
    vec![file; 100]
}

/// One file of at least so many lines, a stage every 200 or so.
pub fn long(lines: usize) -> String {
    let mut dice = Dice(lines as u64);
    let mut text = String::new();
    let mut count = 0;
    while count < lines {
        let more = if count % 200 < 40 {
            varied(&mut dice)
        } else {
            instruction(&mut dice)
        };
        count += more.lines().count();
        text += &more;
    }
    text
}

/// One RUN of so many continued lines.
pub fn long_run(lines: usize) -> String {
    let mut dice = Dice(lines as u64);
    let mut text = String::from("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN set -e");
    for number in 0..lines {
        let command = match dice.below(20) {
            0 => dice.pick(&BUILDS).to_owned(),
            1 => format!("export NAME_{number}=\"${{HOME}}/{number}\""),
            2 => format!("pip install {}", dice.pick(&LIBRARIES)),
            3 => format!("echo line {number} >> /var/log/build"),
            _ => format!("mkdir -p /data/{number}"),
        };
        text += &format!(" \\\n    && {command}");
    }
    text + "\n"
}

/// A Dockerfile that leads to so many files of a hundred lines each, with paths and texts: scripts, Makefiles, lists of packages.
pub fn linked(files: usize) -> Vec<(String, String)> {
    let mut dockerfile =
        String::from("FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nCOPY . /src\nWORKDIR /src\n");
    let mut all = Vec::new();
    for number in 0..files {
        let mut dice = Dice(number as u64);
        let (path, run, head) = match number % 3 {
            0 => (format!("ci/{number}.sh"), "bash", "#!/bin/bash -e\n"),
            1 => (format!("make/{number}.mk"), "make -f", "ARCH ?= 80\nall:\n"),
            _ => (format!("lists/{number}.txt"), "pip install -r", ""),
        };
        let mut body = String::new();
        for line in 0..100 {
            body += &match number % 3 {
                2 => format!("{}-{line}=={line}.0\n", dice.pick(&LIBRARIES)),
                kind => {
                    let tab = if kind == 1 { "\t" } else { "" };
                    match dice.below(20) {
                        0 => format!("{tab}nvcc -arch=sm_80 -c {line}.cu\n"),
                        _ => format!("{tab}mkdir -p /data/{line}\n"),
                    }
                }
            };
        }
        body.insert_str(0, head);
        dockerfile += &format!("RUN {run} {path}\n");
        all.push((path, body));
    }
    all.push(("Dockerfile".to_owned(), dockerfile));
    all
}
