//! Follows the commands of a CMake project.
use super::variables::Variables;
use super::{By, Cmake};
use crate::projects::guard::Guard;
use crate::projects::seen::{Open, Piece, Seen, known, sketch};
use crate::text::cmake::{self, Argument, Block, Does, Statement};
use crate::value::Site;
use crate::walk::files::Files;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Commands that one project may take.
const STEP_BUDGET: u32 = 60_000;
/// Files in files, functions in functions, at most.
pub(super) const MAX_DEPTH: usize = 12;
/// What the root of the build context is called where a path needs one.
pub(super) const ROOT: &str = "/@";

/// A project that is being followed.
pub(super) struct Follow<'f> {
    pub(super) files: &'f Files<'f>,
    pub(super) root: String,
    pub(super) dir: String,
    /// The folder of the file in hand.
    pub(super) list_dir: String,
    pub(super) file: u16,
    pub(super) variables: Variables,
    /// What holds in all of the scope in hand: its variables need not say so.
    pub(super) holds: Vec<Guard>,
    pub(super) functions: BTreeMap<String, Rc<Function>>,
    pub(super) modules: Vec<String>,
    /// Words given to functions and to `cmake_parse_arguments`: they may be names of variables that are set there.
    pub(super) touched: BTreeSet<String>,
    /// The targets that were added.
    pub(super) targets: BTreeSet<String>,
    pub(super) shows: Cmake,
    /// CUDA is enabled: `CMAKE_CUDA_ARCHITECTURES` has a value from here on.
    pub(super) enabled: bool,
    /// CMake's policies are older than 3.18: it has none.
    pub(super) old_policy: bool,
    pub(super) depth: usize,
    pub(super) steps: u32,
}

/// A function or macro of the project.
pub(super) struct Function {
    pub(super) parameters: Vec<String>,
    pub(super) body: Block,
    pub(super) file: u16,
}

impl<'f> Follow<'f> {
    pub(super) fn new(dir: &str, files: &'f Files<'f>) -> Self {
        Self {
            files,
            root: dir.to_owned(),
            dir: dir.to_owned(),
            list_dir: dir.to_owned(),
            file: 0,
            variables: Variables::default(),
            holds: Vec::new(),
            functions: BTreeMap::new(),
            modules: Vec::new(),
            touched: BTreeSet::new(),
            targets: BTreeSet::new(),
            shows: Cmake::default(),
            enabled: false,
            old_policy: false,
            depth: 0,
            steps: STEP_BUDGET,
        }
    }

    /// All that the project shows, from its first file on.
    pub(super) fn project(mut self, file: u16) -> Cmake {
        self.run_file(file, &Guard::Always);
        self.note_archs(&Guard::Always);
        self.shows.cut = self.steps == 0;
        self.shows.missing |= self.shows.cut;
        self.shows
    }

    pub(super) fn tick(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// The same for a statement under `guard`: a long condition is as much work as many statements.
    fn tick_under(&mut self, guard: &Guard) -> bool {
        let size = u32::try_from(guard.size()).unwrap_or(u32::MAX);
        self.steps = self.steps.saturating_sub(size.saturating_mul(size) / 256);
        self.tick()
    }

    pub(super) fn run_file(&mut self, file: u16, guard: &Guard) {
        if self.depth >= MAX_DEPTH || !self.tick() {
            self.shows.missing = true;
            return;
        }
        let text = self.files.text(file);
        self.shows.mentions_cuda |= mentions_cuda(text);
        let block = cmake::read(text);
        let before = std::mem::replace(&mut self.file, file);
        self.depth += 1;
        self.block(&block, guard);
        self.depth -= 1;
        self.file = before;
    }

    /// Follows a block, and says when it is left by `return()`. An error ends everything: what follows the block is looked at
    /// as if there were none.
    pub(super) fn block(&mut self, block: &Block, guard: &Guard) -> Guard {
        let mut guard = guard.clone();
        let mut left = Vec::new();
        for statement in block {
            if guard == Guard::Never || !self.tick_under(&guard) {
                break;
            }
            left.push(self.statement(statement, &mut guard));
        }
        Guard::any(left)
    }

    pub(super) fn site(&self, statement: &Statement) -> Site {
        Site {
            file: self.file,
            span: statement.span,
        }
    }

    /// Follows one, and says when it leaves the block; `guard` becomes what holds after it.
    pub(super) fn statement(&mut self, statement: &Statement, guard: &mut Guard) -> Guard {
        let left = match &statement.does {
            Does::Call(name, _) if name == "return" => {
                return std::mem::replace(guard, Guard::Never);
            }
            Does::Call(name, args) if stops(name, args) => {
                *guard = Guard::Never;
                Guard::Never
            }
            Does::Call(name, args) => {
                self.call(name, args, guard, self.site(statement));
                Guard::Never
            }
            Does::If { arms, otherwise } => self.conditional(arms, otherwise, guard),
            Does::Each(args, body) => self.each(args, body, guard),
            Does::Define(name, parameters, body) => {
                let parameters = parameters.iter().filter_map(Argument::literal).collect();
                let function = Function {
                    parameters,
                    body: body.clone(),
                    file: self.file,
                };
                self.functions.insert(name.clone(), function.into());
                Guard::Never
            }
            Does::Other(body) => self.block(body, guard),
        };
        *guard = std::mem::replace(guard, Guard::Never).after(&left);
        left
    }

    pub(super) fn conditional(
        &mut self,
        arms: &[(Vec<Argument>, Block)],
        otherwise: &Block,
        guard: &Guard,
    ) -> Guard {
        let mut before = Guard::Always;
        let mut left = Vec::new();
        for (test, body) in arms {
            let holds = self.test(test);
            let here = Guard::all([before.clone(), holds.clone()]);
            let inner = Guard::all([guard.clone(), here]);
            if inner == Guard::Never && self.enabled {
                self.late_default(body);
            }
            left.push(self.block(body, &inner));
            before = Guard::all([before, holds.not()]);
        }
        left.push(self.block(otherwise, &Guard::all([guard.clone(), before])));
        Guard::any(left)
    }

    /// A default for the architectures in a block that is never reached.
    pub(super) fn late_default(&mut self, body: &Block) {
        for statement in body {
            if let Does::Call(name, args) = &statement.does
                && name == "set"
                && args
                    .first()
                    .is_some_and(|a| a.is("CMAKE_CUDA_ARCHITECTURES"))
            {
                self.shows.late.get_or_insert(Site {
                    file: self.file,
                    span: statement.span,
                });
            }
        }
    }

    pub(super) fn each(&mut self, args: &[Argument], body: &Block, guard: &Guard) -> Guard {
        let Some(variable) = args.first().and_then(Argument::literal) else {
            return Guard::Never;
        };
        let mut values = Vec::new();
        let mut open = None;
        let mut lists = false;
        for arg in &args[1..] {
            if arg.is("IN") || arg.is("ITEMS") || arg.is("RANGE") {
                continue;
            }
            if arg.is("LISTS") {
                lists = true;
                continue;
            }
            let ways = match arg.literal().filter(|_| lists) {
                Some(name) => self.ways(&name),
                None => self.expand(arg),
            };
            match ways.as_slice() {
                [(_, pieces)] => match (known(pieces), pieces.as_slice()) {
                    (Some(text), _) => {
                        let site = Site {
                            file: self.file,
                            span: arg.span,
                        };
                        values.extend(
                            text.split(';')
                                .filter(|t| !t.is_empty())
                                .map(|t| (t.to_owned(), site)),
                        );
                    }
                    (None, [Piece::Open(one)]) => open = Some(one.clone()),
                    _ => open = Some(Open::Unknown),
                },
                [] => {}
                // each way in turn, under its condition
                several if args.len() <= 4 => {
                    let mut left = Vec::new();
                    for (when, pieces) in several.iter().cloned() {
                        let guard = Guard::all([guard.clone(), when]);
                        let open = match known(&pieces) {
                            Some(text) => {
                                let site = Site {
                                    file: self.file,
                                    span: arg.span,
                                };
                                Open::Each(text.split(';').map(|t| (t.to_owned(), site)).collect())
                            }
                            None => Open::Unknown,
                        };
                        let ways = vec![(Guard::Always, vec![Piece::Open(open)])];
                        self.variables.put(&variable, Some(ways));
                        left.push(self.block(body, &guard));
                    }
                    return Guard::any(left);
                }
                _ => open = Some(Open::Unknown),
            }
        }
        let open = open.unwrap_or(Open::Each(values));
        let ways = vec![(Guard::Always, vec![Piece::Open(open)])];
        self.variables.put(&variable, Some(ways));
        self.block(body, guard)
    }

    pub(super) fn call(&mut self, name: &str, args: &[Argument], guard: &Guard, site: Site) {
        let seen = |what| Seen {
            guard: guard.clone(),
            what,
            site,
        };
        let is_device_code = |arg: &Argument| arg.literal().is_some_and(|t| t.ends_with(".cu"));
        if args.iter().any(is_device_code) && !self.shows.device_code.contains(guard) {
            self.shows.device_code.push(guard.clone());
        }
        match name {
            "cmake_minimum_required" | "cmake_policy" => self.policy(args),
            "project" => {
                if self.shows.name.is_none() {
                    self.shows.name = args.first().and_then(Argument::literal);
                }
                if args.iter().skip(1).any(|a| a.is("CUDA")) {
                    self.enable(guard, site);
                } else if args.iter().skip(1).any(|a| a.literal().is_none()) {
                    self.languages(&args[1..], guard, site);
                }
            }
            "enable_language" => self.languages(args, guard, site),
            "find_package" => match args.first().and_then(Argument::literal).as_deref() {
                Some("CUDA") => {
                    self.shows.find_cuda.get_or_insert(seen(()));
                }
                Some("CUDAToolkit") => self.shows.toolkit.push(guard.clone()),
                Some("Torch" | "Caffe2") => {
                    self.shows.torch.get_or_insert(seen(()));
                }
                _ => {}
            },
            "cuda_add_library"
            | "cuda_add_executable"
            | "cuda_compile"
            | "cuda_compile_ptx"
            | "cuda_wrap_srcs" => {
                self.shows.cuda.push(Seen {
                    guard: guard.clone(),
                    what: By::FindCuda,
                    site,
                });
            }
            "add_custom_command" | "execute_process" => self.command(args, guard, site),
            "cuda_select_nvcc_arch_flags" | "torch_cuda_get_nvcc_gencode_flag" => {
                let ways = args
                    .get(1)
                    .map_or_else(|| vec![(Guard::Always, Vec::new())], |a| self.expand(a));
                for (when, what) in ways {
                    self.shows.selects.push(Seen {
                        guard: Guard::all([guard.clone(), when]),
                        what,
                        site,
                    });
                }
                self.forget(args.first());
            }
            "set" => self.set(args, guard, site),
            "option" | "cmake_dependent_option" => {
                if let Some(name) = args.first().and_then(|name| self.one(name)) {
                    let default = args
                        .get(2)
                        .map_or_else(|| "OFF".to_owned(), |a| self.one(a).unwrap_or_default());
                    let value = vec![Piece::Open(Open::Define(name.clone(), Some(default)))];
                    self.assign(&name, value, guard);
                    self.variables.keep(&name, false);
                }
            }
            "unset" => self.forget(args.first()),
            "list" | "string" => self.change(args, guard),
            "set_target_properties" | "set_property" | "set_source_files_properties" => {
                self.property(args, guard)
            }
            "target_compile_options"
            | "add_compile_options"
            | "add_definitions"
            | "cuda_include_directories" => {
                for arg in args {
                    self.flags(arg, guard);
                }
                self.pairs(args, guard);
            }
            "add_library" | "add_executable" | "add_custom_target" => {
                if name == "add_custom_target" {
                    self.command(args, guard, site);
                }
                self.targets
                    .extend(args.first().and_then(Argument::literal));
            }
            "include" => self.include(args, guard),
            "add_subdirectory" => self.subdirectory(args, guard),
            "fetchcontent_makeavailable"
            | "fetchcontent_populate"
            | "externalproject_add"
            | "cpmaddpackage" => {
                self.shows.missing = true;
            }
            "cmake_parse_arguments" => {
                let first = args.first().and_then(Argument::literal);
                self.touched
                    .extend(first.map(|prefix| format!("{prefix}_*")));
            }
            _ => self.function(name, args, guard),
        }
    }

    pub(super) fn enable(&mut self, guard: &Guard, site: Site) {
        self.shows.cuda.push(Seen {
            guard: guard.clone(),
            what: By::Language,
            site,
        });
        self.enabled = true;
    }

    /// `enable_language(CUDA)`, `project(x LANGUAGES ${LANGUAGES})`.
    pub(super) fn languages(&mut self, args: &[Argument], guard: &Guard, site: Site) {
        for arg in args {
            for (when, pieces) in self.expand(arg) {
                if sketch(&pieces)
                    .split(';')
                    .any(|word| word.eq_ignore_ascii_case("CUDA"))
                {
                    self.enable(&Guard::all([guard.clone(), when]), site);
                }
            }
        }
    }

    pub(super) fn policy(&mut self, args: &[Argument]) {
        let texts: Vec<String> = args.iter().filter_map(Argument::literal).collect();
        match texts
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            ["VERSION", version, ..] => {
                let newest = version.rsplit("...").next().unwrap_or(version);
                let mut numbers = newest.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
                let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
                self.old_policy = version < (3, 18);
            }
            ["SET", "CMP0104", value, ..] => self.old_policy = *value == "OLD",
            _ => {}
        }
    }

    /// Commands that call nvcc, and those that ask for the GPU.
    pub(super) fn command(&mut self, args: &[Argument], guard: &Guard, site: Site) {
        let texts: Vec<String> = args
            .iter()
            .map(|a| {
                let piece = |p: &cmake::Piece| match p {
                    cmake::Piece::Literal(text, _) => text.clone(),
                    cmake::Piece::Variable(name) | cmake::Piece::Environment(name) => {
                        format!("${name}")
                    }
                };
                a.pieces.iter().map(piece).collect()
            })
            .collect();
        let compiles = texts
            .iter()
            .any(|t| t.ends_with(".cu") || t.contains(".cu "));
        let nvcc = texts.iter().any(|t| {
            t == "nvcc"
                || t.ends_with("/nvcc")
                || t == "$CMAKE_CUDA_COMPILER"
                || t == "$CUDA_NVCC_EXECUTABLE"
        });
        if nvcc && compiles {
            self.shows.cuda.push(Seen {
                guard: guard.clone(),
                what: By::Command,
                site,
            });
            self.pairs(args, guard);
            args.iter().for_each(|a| self.flags(a, guard));
        }
        let gpu = texts.iter().any(|t| t.contains("nvidia-smi"));
        let output = args
            .iter()
            .position(|a| a.is("OUTPUT_VARIABLE"))
            .and_then(|at| args.get(at + 1));
        if let Some(name) = output.and_then(Argument::literal) {
            let open = if gpu { Open::Gpu } else { Open::Unknown };
            self.assign(&name, vec![Piece::Open(open)], guard);
        }
    }
}

fn stops(name: &str, args: &[Argument]) -> bool {
    name == "message" && args.first().is_some_and(|a| a.is("FATAL_ERROR"))
}

pub(super) fn mentions_cuda(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'c', b'C', bytes).any(|at| {
        bytes
            .get(at..at + 4)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"cuda"))
    })
}
