//! Follows the commands of a CMake project.
use super::variables::{MAX_WAYS, Variables, Ways, unknown};
use super::{By, Cmake};
use crate::projects::guard::Guard;
use crate::projects::python::join;
use crate::projects::seen::{Open, Piece, Seen, known, sketch};
use crate::text::cmake::{self, Argument, Block, Does, Statement};
use crate::tree::normal;
use crate::walk::files::Files;
use crate::walk::value::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Commands that one project may take.
const STEP_BUDGET: u32 = 60_000;
/// Files in files, functions in functions, at most.
const MAX_DEPTH: usize = 12;
/// What the root of the build context is called where a path needs one.
const ROOT: &str = "/@";

pub(super) struct Follow<'f> {
    files: &'f Files<'f>,
    root: String,
    pub(super) dir: String,
    /// The folder of the file in hand.
    list_dir: String,
    pub(super) file: u16,
    pub(super) variables: Variables,
    /// What holds in all of the scope in hand: its variables need not say so.
    holds: Vec<Guard>,
    functions: BTreeMap<String, Rc<Function>>,
    modules: Vec<String>,
    /// Words given to functions and to `cmake_parse_arguments`: they may be names of variables that are set there.
    touched: BTreeSet<String>,
    /// The targets that were added.
    targets: BTreeSet<String>,
    pub(super) shows: Cmake,
    /// CUDA is enabled: `CMAKE_CUDA_ARCHITECTURES` has a value from here on.
    pub(super) enabled: bool,
    /// CMake's policies are older than 3.18: it has none.
    pub(super) old_policy: bool,
    depth: usize,
    steps: u32,
}

struct Function {
    parameters: Vec<String>,
    body: Block,
    file: u16,
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

    fn run_file(&mut self, file: u16, guard: &Guard) {
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

    fn block(&mut self, block: &Block, guard: &Guard) {
        let mut guard = guard.clone();
        for statement in block {
            if guard == Guard::Never || !self.tick() {
                return;
            }
            self.statement(statement, &mut guard);
        }
    }

    fn site(&self, statement: &Statement) -> Site {
        Site {
            file: self.file,
            span: statement.span,
        }
    }

    fn statement(&mut self, statement: &Statement, guard: &mut Guard) {
        match &statement.does {
            Does::Call(name, args) => {
                if leaves(name, args) {
                    *guard = Guard::Never;
                    return;
                }
                self.call(name, args, guard, self.site(statement));
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
            }
            Does::Other(body) => self.block(body, guard),
        }
    }

    fn conditional(
        &mut self,
        arms: &[(Vec<Argument>, Block)],
        otherwise: &Block,
        guard: &mut Guard,
    ) {
        let mut before = Guard::Always;
        let mut after = Vec::new();
        for (test, body) in arms {
            let holds = self.test(test);
            let here = Guard::all([before.clone(), holds.clone()]);
            let inner = Guard::all([guard.clone(), here.clone()]);
            if inner == Guard::Never && self.enabled {
                self.late_default(body);
            }
            self.block(body, &inner);
            if !ends(body) {
                after.push(here);
            }
            before = Guard::all([before, holds.not()]);
        }
        self.block(otherwise, &Guard::all([guard.clone(), before.clone()]));
        if !ends(otherwise) {
            after.push(before);
        }
        if after.len() <= arms.len() {
            *guard = Guard::all([guard.clone(), Guard::any(after)]);
        }
    }

    /// A default for the architectures in a block that is never reached.
    fn late_default(&mut self, body: &Block) {
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

    fn each(&mut self, args: &[Argument], body: &Block, guard: &Guard) {
        let Some(variable) = args.first().and_then(Argument::literal) else {
            return;
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
                        self.block(body, &guard);
                    }
                    return;
                }
                _ => open = Some(Open::Unknown),
            }
        }
        let open = open.unwrap_or(Open::Each(values));
        let ways = vec![(Guard::Always, vec![Piece::Open(open)])];
        self.variables.put(&variable, Some(ways));
        self.block(body, guard);
    }

    fn call(&mut self, name: &str, args: &[Argument], guard: &Guard, site: Site) {
        let seen = |what| Seen {
            guard: guard.clone(),
            what,
            site,
        };
        for arg in args {
            if arg.literal().is_some_and(|t| t.ends_with(".cu")) {
                self.shows.device_code = true;
            }
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
                if let Some(name) = args.first().and_then(Argument::literal) {
                    let default = args
                        .get(2)
                        .map_or_else(|| "OFF".to_owned(), |a| self.one(a).unwrap_or_default());
                    let value = vec![Piece::Open(Open::Define(name.clone(), Some(default)))];
                    self.assign(&name, value, guard);
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

    fn enable(&mut self, guard: &Guard, site: Site) {
        self.shows.cuda.push(Seen {
            guard: guard.clone(),
            what: By::Language,
            site,
        });
        self.enabled = true;
    }

    /// `enable_language(CUDA)`, `project(x LANGUAGES ${LANGUAGES})`.
    fn languages(&mut self, args: &[Argument], guard: &Guard, site: Site) {
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

    fn policy(&mut self, args: &[Argument]) {
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
    fn command(&mut self, args: &[Argument], guard: &Guard, site: Site) {
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

    fn set(&mut self, args: &[Argument], guard: &Guard, site: Site) {
        let Some(name) = args.first().and_then(Argument::literal) else {
            return;
        };
        let cache = args.iter().position(|a| a.is("CACHE"));
        let end = cache
            .or_else(|| args.iter().position(|a| a.is("PARENT_SCOPE")))
            .unwrap_or(args.len());
        let force = cache.is_some() && args.last().is_some_and(|a| a.is("FORCE"));
        let values = args.get(1..end).unwrap_or_default();
        if values.is_empty() && cache.is_none() {
            self.variables.put(&name, None);
            return;
        }
        if name == "CMAKE_MODULE_PATH" {
            self.module_paths(values);
        }
        let is_archs = name == "CMAKE_CUDA_ARCHITECTURES";
        if cache.is_some() && !force {
            if is_archs && self.enabled && !self.old_policy {
                self.shows.late.get_or_insert(site);
                return;
            }
            self.shows.defaults.entry(name.clone()).or_insert(site);
            for (when, pieces) in self.joined(values) {
                // a cache entry is a default: the command line wins
                let value = match known(&pieces) {
                    Some(text) => Piece::Open(Open::Define(name.clone(), Some(text))),
                    None => match pieces.as_slice() {
                        [one @ Piece::Open(Open::Define(..) | Open::Env { .. } | Open::Gpu)] => {
                            one.clone()
                        }
                        _ => Piece::Open(Open::Unknown),
                    },
                };
                self.assign(&name, vec![value], &Guard::all([guard.clone(), when]));
            }
            if is_flags(&name) {
                values.iter().for_each(|v| self.flags(v, guard));
            }
            return;
        }
        for (when, pieces) in self.joined(values) {
            self.assign(&name, pieces, &Guard::all([guard.clone(), when]));
        }
        if is_flags(&name) {
            values.iter().for_each(|v| self.flags(v, guard));
            self.pairs(values, guard);
        }
    }

    /// `list(APPEND …)`, `string(APPEND …)`, `string(REPLACE …)`.
    fn change(&mut self, args: &[Argument], guard: &Guard) {
        let Some(verb) = args.first().and_then(Argument::literal) else {
            return;
        };
        match verb.as_str() {
            "APPEND" | "PREPEND" => {
                let Some(name) = args.get(1).and_then(Argument::literal) else {
                    return;
                };
                let values = args.get(2..).unwrap_or_default();
                if name == "CMAKE_MODULE_PATH" {
                    self.module_paths(values);
                }
                if is_flags(&name) {
                    values.iter().for_each(|v| self.flags(v, guard));
                    self.pairs(values, guard);
                }
                let mut all = Vec::new();
                for (before_when, before) in self.ways(&name) {
                    for (when, more) in self.joined(values) {
                        let mut pieces = before.clone();
                        if let [Piece::Open(Open::Define(n, default))] = before.as_slice()
                            && *n == name
                        {
                            // what the command line gives, or nothing
                            pieces = match default {
                                Some(text) => vec![Piece::Literal(text.clone(), Site::default())],
                                None => Vec::new(),
                            };
                        }
                        if !pieces.is_empty() {
                            pieces.push(Piece::Literal(";".to_owned(), Site::default()));
                        }
                        pieces.extend(more);
                        all.push((Guard::all([before_when.clone(), when]), pieces));
                    }
                }
                for (when, pieces) in all.into_iter().take(MAX_WAYS) {
                    self.assign(&name, pieces, &Guard::all([guard.clone(), when]));
                }
            }
            "REPLACE" | "REGEX" | "STRIP" | "TOLOWER" | "TOUPPER" => {
                // the output is made from the last argument
                let (output, input) = match verb.as_str() {
                    "REPLACE" => (args.get(3), args.get(4)),
                    "REGEX" => (args.get(args.len().saturating_sub(2)), args.last()),
                    _ => (args.get(2), args.get(1)),
                };
                let Some(name) = output.and_then(Argument::literal) else {
                    return;
                };
                let texts: Vec<Option<String>> = args.iter().map(Argument::literal).collect();
                for (when, pieces) in input.map(|i| self.expand(i)).unwrap_or_default() {
                    let changed = match (known(&pieces), verb.as_str(), texts.as_slice()) {
                        (Some(text), "TOLOWER", _) => Some(text.to_lowercase()),
                        (Some(text), "TOUPPER", _) => Some(text.to_uppercase()),
                        (Some(text), "STRIP", _) => Some(text.trim().to_owned()),
                        (Some(text), "REPLACE", [_, Some(from), Some(to), ..])
                            if !from.is_empty() =>
                        {
                            Some(text.replace(from.as_str(), to))
                        }
                        _ => None,
                    };
                    let value = match (changed, known(&pieces)) {
                        (Some(text), _) => {
                            let site = Site {
                                file: self.file,
                                span: input.map(|i| i.span).unwrap_or_default(),
                            };
                            vec![Piece::Literal(text, site)]
                        }
                        (None, _)
                            if matches!(
                                pieces.as_slice(),
                                [Piece::Open(Open::Define(..) | Open::Env { .. } | Open::Gpu)]
                            ) =>
                        {
                            pieces
                        }
                        _ => vec![Piece::Open(Open::Unknown)],
                    };
                    self.assign(&name, value, &Guard::all([guard.clone(), when]));
                }
            }
            // they change no list that is followed: order and length
            "SORT" | "REMOVE_DUPLICATES" | "REVERSE" | "LENGTH" | "FIND" => {}
            "GET" | "JOIN" | "SUBLIST" => self.forget(args.last()),
            _ => self.forget(args.get(1)),
        }
    }

    fn property(&mut self, args: &[Argument], guard: &Guard) {
        let Some(at) = args.iter().position(|a| a.is("CUDA_ARCHITECTURES")) else {
            if let Some(at) = args
                .iter()
                .position(|a| a.is("COMPILE_FLAGS") || a.is("COMPILE_OPTIONS"))
            {
                args[at..].iter().for_each(|a| self.flags(a, guard));
            }
            return;
        };
        let values: Vec<Argument> = args[at + 1..]
            .iter()
            .take_while(|a| {
                a.quoted
                    || !a.literal().is_some_and(|t| {
                        t.len() > 3
                            && t.contains('_')
                            && t.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
                    })
            })
            .cloned()
            .collect();
        let Some(first) = values.first() else { return };
        let site = Site {
            file: self.file,
            span: first.span,
        };
        for (when, what) in self.joined(&values) {
            // the variable's own value adds nothing
            if matches!(what.as_slice(), [Piece::Open(Open::Define(name, None))] if name == "CMAKE_CUDA_ARCHITECTURES")
            {
                continue;
            }
            self.shows.archs.push(Seen {
                guard: Guard::all([guard.clone(), when]),
                what,
                site,
            });
        }
    }

    /// Notes a flag that names architectures.
    fn flags(&mut self, arg: &Argument, guard: &Guard) {
        let site = Site {
            file: self.file,
            span: arg.span,
        };
        for (when, what) in self.expand(arg) {
            let text = sketch(&what);
            let names = [
                "-gencode",
                "arch=compute",
                "-arch=",
                "-arch ",
                "--gpu-architecture",
                "--generate-code",
            ];
            let split = matches!(text.trim(), "-gencode" | "--generate-code" | "-arch");
            if !split && names.iter().any(|n| text.contains(n)) {
                self.shows.flags.push(Seen {
                    guard: Guard::all([guard.clone(), when]),
                    what: bare(what),
                    site,
                });
            }
        }
    }

    /// `-arch sm_80` as two arguments.
    fn pairs(&mut self, args: &[Argument], guard: &Guard) {
        for pair in args.windows(2) {
            let [option, value] = pair else { continue };
            if option
                .literal()
                .is_some_and(|t| t == "-arch" || t == "--gpu-architecture")
            {
                for (when, what) in self.expand(value) {
                    let site = Site {
                        file: self.file,
                        span: option.span.to(value.span),
                    };
                    let mut pieces = vec![Piece::Literal("-arch=".to_owned(), site)];
                    pieces.extend(what);
                    self.shows.flags.push(Seen {
                        guard: Guard::all([guard.clone(), when]),
                        what: pieces,
                        site,
                    });
                }
            }
        }
    }

    fn module_paths(&mut self, values: &[Argument]) {
        for value in values {
            if let Some(path) = self.one(value).and_then(|p| self.path(&p)) {
                self.modules.push(path);
            }
        }
    }

    /// A path of the build context from one of a command.
    fn path(&self, text: &str) -> Option<String> {
        if let Some(below) = text.strip_prefix(ROOT) {
            return normal(below);
        }
        if text.starts_with('/') {
            return None;
        }
        normal(&format!("{}/{text}", self.dir))
    }

    fn include(&mut self, args: &[Argument], guard: &Guard) {
        let Some(text) = args.first().and_then(|a| self.one_where(guard, a)) else {
            self.shows.missing = true;
            return;
        };
        let mut paths: Vec<String> = self.path(&text).into_iter().collect();
        if !text.ends_with(".cmake") {
            // a module of the project's; CMake's own are not in the tree
            paths = self
                .modules
                .iter()
                .map(|m| join(m, &format!("{text}.cmake")))
                .collect();
        }
        let found = paths
            .iter()
            .find_map(|p| Some((p, self.files.open(p).ok()?)));
        if let Some((path, file)) = found {
            let folder = path
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder)
                .to_owned();
            let before = std::mem::replace(&mut self.list_dir, folder);
            self.run_file(file, guard);
            self.list_dir = before;
        } else if text.ends_with(".cmake") && !args.iter().any(|a| a.is("OPTIONAL")) {
            self.shows.missing = true;
        }
    }

    fn subdirectory(&mut self, args: &[Argument], guard: &Guard) {
        let path = args
            .first()
            .and_then(|a| self.one_where(guard, a))
            .and_then(|p| self.path(&p));
        let file = path
            .as_ref()
            .and_then(|p| self.files.open(&join(p, "CMakeLists.txt")).ok());
        let (Some(path), Some(file)) = (path, file) else {
            self.shows.missing = true;
            return;
        };
        let before = (
            std::mem::replace(&mut self.dir, path.clone()),
            std::mem::replace(&mut self.list_dir, path),
        );
        self.in_scope(guard, |follow| follow.run_file(file, guard));
        (self.dir, self.list_dir) = before;
    }

    /// Runs with variables of its own; what it makes of the architectures is noted.
    fn in_scope(&mut self, guard: &Guard, run: impl FnOnce(&mut Self)) {
        let name = "CMAKE_CUDA_ARCHITECTURES";
        let before = self.variables.get(name).to_vec();
        let opened = self.variables.open();
        let parts = match guard {
            Guard::All(parts) => parts.clone(),
            single => vec![single.clone()],
        };
        let holds = std::mem::replace(&mut self.holds, parts);
        run(self);
        self.holds = holds;
        if self.variables.get(name) != before {
            self.note_archs(guard);
        }
        self.variables.close(opened);
    }

    fn note_archs(&mut self, guard: &Guard) {
        for (when, what) in self.ways("CMAKE_CUDA_ARCHITECTURES") {
            let site = what.iter().find_map(|p| match p {
                Piece::Literal(_, site) => Some(*site),
                Piece::Open(_) => None,
            });
            let site = site.unwrap_or_default();
            self.shows.archs.push(Seen {
                guard: Guard::all([guard.clone(), when]),
                what,
                site,
            });
        }
    }

    fn function(&mut self, name: &str, args: &[Argument], guard: &Guard) {
        let words = args.iter().filter_map(Argument::literal);
        self.touched.extend(words);
        let Some(function) = self.functions.get(name).cloned() else {
            return;
        };
        if self.depth >= MAX_DEPTH {
            return;
        }
        let mut bound = Vec::new();
        for (parameter, arg) in function.parameters.iter().zip(args) {
            bound.push((parameter.clone(), self.expand(arg)));
        }
        let rest = self.joined(args.get(function.parameters.len()..).unwrap_or_default());
        bound.push(("ARGN".to_owned(), rest));
        let file = std::mem::replace(&mut self.file, function.file);
        self.depth += 1;
        self.in_scope(guard, |follow| {
            for (name, ways) in bound {
                follow.variables.put(&name, Some(ways));
            }
            follow.block(&function.body, guard);
        });
        self.depth -= 1;
        self.file = file;
    }

    /// Whether a target is there that the project itself adds; those with `::` come from packages.
    pub(super) fn may_have_target(&self, name: &str) -> bool {
        self.shows.missing || name.contains("::") || self.targets.contains(name)
    }

    /// Whether a variable may have been set where nobody followed it.
    pub(super) fn is_touched(&self, name: &str) -> bool {
        let prefix = name
            .split_once('_')
            .map(|(prefix, _)| format!("{prefix}_*"));
        self.touched.contains(name) || prefix.is_some_and(|prefix| self.touched.contains(&prefix))
    }

    fn assign(&mut self, name: &str, value: Vec<Piece>, guard: &Guard) {
        let guard = guard.given(&self.holds);
        self.variables.assign(name, value, &guard);
    }

    fn forget(&mut self, name: Option<&Argument>) {
        if let Some(name) = name.and_then(Argument::literal) {
            self.variables.put(&name, Some(unknown()));
        }
    }

    /// What a variable may be, each with the condition under which no later one wins.
    pub(super) fn ways(&self, name: &str) -> Ways {
        let here = |dir: &str| {
            let text = format!("{ROOT}/{dir}");
            vec![(Guard::Always, vec![Piece::Literal(text, Site::default())])]
        };
        match name {
            "CMAKE_SOURCE_DIR" | "PROJECT_SOURCE_DIR" => return here(&self.root),
            "CMAKE_CURRENT_SOURCE_DIR" => return here(&self.dir),
            "CMAKE_CURRENT_LIST_DIR" => return here(&self.list_dir),
            "CMAKE_CUDA_ARCHITECTURES_NATIVE" => {
                return vec![(Guard::Always, vec![Piece::Open(Open::Gpu)])];
            }
            _ => {}
        }
        let mut rest = Guard::Always;
        let mut found = Vec::new();
        for (guard, value) in self.variables.get(name).iter().rev() {
            let when = Guard::all([guard.clone(), rest.clone()]);
            if when != Guard::Never {
                found.push((when, value.clone()));
            }
            rest = Guard::all([rest, guard.clone().not()]);
        }
        if rest != Guard::Never {
            found.push((rest, vec![Piece::Open(Open::Define(name.to_owned(), None))]));
        }
        found
    }

    /// The text of an argument in each way that its variables may be.
    pub(super) fn expand(&mut self, arg: &Argument) -> Ways {
        let mut all: Ways = vec![(Guard::Always, Vec::new())];
        for piece in &arg.pieces {
            let ways = match piece {
                cmake::Piece::Literal(text, span) => {
                    let site = Site {
                        file: self.file,
                        span: *span,
                    };
                    vec![(Guard::Always, vec![Piece::Literal(text.clone(), site)])]
                }
                cmake::Piece::Variable(name) if name.is_empty() => unknown(),
                cmake::Piece::Variable(name) => self.ways(name),
                cmake::Piece::Environment(name) => {
                    let open = Open::Env {
                        name: name.clone(),
                        default: None,
                        separator: Some(";".to_owned()),
                        undotted: false,
                    };
                    vec![(Guard::Always, vec![Piece::Open(open)])]
                }
            };
            if all.len() * ways.len() > MAX_WAYS {
                return unknown();
            }
            all = all
                .iter()
                .flat_map(|(before, pieces)| {
                    ways.iter().map(move |(when, more)| {
                        (
                            Guard::all([before.clone(), when.clone()]),
                            pieces.iter().chain(more).cloned().collect(),
                        )
                    })
                })
                .filter(|(when, _)| *when != Guard::Never)
                .collect();
        }
        all
    }

    /// Several arguments as one list.
    fn joined(&mut self, args: &[Argument]) -> Ways {
        let mut all: Ways = vec![(Guard::Always, Vec::new())];
        for arg in args {
            let ways = self.expand(arg);
            if all.len() * ways.len() > MAX_WAYS {
                return unknown();
            }
            all = all
                .iter()
                .flat_map(|(before, pieces)| {
                    ways.iter().map(move |(when, more)| {
                        let mut joined = pieces.clone();
                        if !joined.is_empty() && !more.is_empty() {
                            joined.push(Piece::Literal(";".to_owned(), Site::default()));
                        }
                        joined.extend(more.iter().cloned());
                        (Guard::all([before.clone(), when.clone()]), joined)
                    })
                })
                .filter(|(when, _)| *when != Guard::Never)
                .collect();
        }
        all
    }

    /// The text of an argument that can be only one where `guard` holds.
    fn one_where(&mut self, guard: &Guard, arg: &Argument) -> Option<String> {
        let mut ways = self.expand(arg);
        ways.retain(|(when, _)| Guard::all([guard.clone(), when.clone()]) != Guard::Never);
        match ways.as_slice() {
            [(_, pieces)] => known(pieces),
            _ => None,
        }
    }

    /// The text of an argument that can be only one.
    pub(super) fn one(&mut self, arg: &Argument) -> Option<String> {
        self.one_where(&Guard::Always, arg)
    }
}

/// Flags out of a generator expression for the CUDA language.
fn bare(pieces: Vec<Piece>) -> Vec<Piece> {
    let clean = |text: &str| {
        let mut text = text.replace("SHELL:", "").replace(';', " ");
        if text.contains("$<") {
            text = text
                .replace("$<$<COMPILE_LANGUAGE:CUDA>:", "")
                .replace("$<COMPILE_LANGUAGE:CUDA>", "")
                .replace(['>', '<', '$'], " ");
        }
        text
    };
    pieces
        .into_iter()
        // what the command line adds is a setting of its own
        .filter(|piece| !matches!(piece, Piece::Open(Open::Define(name, None)) if is_flags(name)))
        .map(|piece| match piece {
            Piece::Literal(text, site) => Piece::Literal(clean(&text), site),
            open => open,
        })
        .collect()
}

/// Variables whose text nvcc gets.
fn is_flags(name: &str) -> bool {
    name.contains("FLAGS") && (name.contains("CUDA") || name.contains("NVCC"))
        || name.contains("GENCODE")
}

fn leaves(name: &str, args: &[Argument]) -> bool {
    name == "return" || (name == "message" && args.first().is_some_and(|a| a.is("FATAL_ERROR")))
}

/// Whether what follows the block's condition runs only where it does not hold. An error ends everything: what follows is
/// looked at as if there were none.
fn ends(block: &Block) -> bool {
    block
        .last()
        .is_some_and(|last| matches!(&last.does, Does::Call(name, _) if name == "return"))
}

fn mentions_cuda(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'c', b'C', bytes).any(|at| {
        bytes
            .get(at..at + 4)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"cuda"))
    })
}
