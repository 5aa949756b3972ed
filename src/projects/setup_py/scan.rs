//! Follows the lines of a `setup.py`.
use super::values::arch_of;
use super::{Setup, Written};
use crate::projects::guard::Guard;
use crate::projects::seen::{self, Piece, Seen, sketch};
use crate::span::Span;
use crate::text::python::{self, Argument, Block, Does, Expression, Statement, What};
use crate::value::Site;
use std::collections::BTreeMap;

/// Expressions that one file may take.
const STEP_BUDGET: u32 = 60_000;
/// Functions called by functions, at most.
const MAX_CALLS: usize = 8;

/// Reads a `setup.py`, the run's file of this number.
pub fn read(text: &str, file: u16) -> Setup {
    let block = python::read(text);
    let mut scan = Scan {
        text,
        file,
        setup: Setup::default(),
        functions: BTreeMap::new(),
        scopes: vec![BTreeMap::new()],
        resolving: Vec::new(),
        called: Vec::new(),
        done: Vec::new(),
        steps: STEP_BUDGET,
    };
    scan.collect(&block);
    scan.block(&block, &Guard::Always);
    scan.setup.cut = scan.steps == 0;
    scan.setup
}

/// A function of the file: its parameters with their defaults, and its block.
type Function<'b> = (&'b [(String, Option<Expression>)], &'b Block);

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Bound<'b> {
    /// A value.
    Value(&'b Expression),
    /// Each element of a value.
    Element(&'b Expression),
    /// Something that comes from outside.
    Open,
}

pub(super) struct Scan<'b> {
    pub(super) text: &'b str,
    file: u16,
    pub(super) setup: Setup,
    pub(super) functions: BTreeMap<&'b str, Function<'b>>,
    pub(super) scopes: Vec<BTreeMap<&'b str, Vec<(Guard, Bound<'b>)>>>,
    /// Names that are being looked up, with how many of their settings count.
    pub(super) resolving: Vec<(String, usize)>,
    called: Vec<&'b str>,
    done: Vec<(&'b str, Guard)>,
    steps: u32,
}

impl<'b> Scan<'b> {
    /// A place in the file.
    pub(super) fn site(&self, span: Span) -> Site {
        Site {
            file: self.file,
            span,
        }
    }

    /// Takes one step of the budget; false when it is spent.
    pub(super) fn tick(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// The functions of the file, methods included.
    fn collect(&mut self, block: &'b Block) {
        for statement in block {
            match &statement.does {
                Does::Define {
                    name,
                    parameters,
                    body,
                } => {
                    self.functions.entry(name).or_insert((parameters, body));
                    self.collect(body);
                }
                Does::Class { body, .. } | Does::Block(_, body) => self.collect(body),
                Does::If { arms, otherwise } => {
                    arms.iter().for_each(|(_, body)| self.collect(body));
                    self.collect(otherwise);
                }
                Does::Try(tried, others) => {
                    self.collect(tried);
                    others.iter().for_each(|body| self.collect(body));
                }
                _ => {}
            }
        }
    }

    /// Follows a block, and says when it is left: by `return`, an error or the end of the program.
    fn block(&mut self, block: &'b Block, guard: &Guard) -> Guard {
        let mut guard = guard.clone();
        let mut left = Vec::new();
        for statement in block {
            if guard == Guard::Never || !self.tick() {
                break;
            }
            left.push(self.statement(statement, &guard));
            if let Some(left) = left.last() {
                guard = guard.after(left);
            }
        }
        Guard::any(left)
    }

    /// Follows one, and says when it leaves the block.
    fn statement(&mut self, statement: &'b Statement, guard: &Guard) -> Guard {
        match &statement.does {
            Does::Assign {
                targets,
                value,
                changes,
            } => self.assign(targets, value, *changes, guard),
            Does::Evaluate(expression) => {
                self.visit(expression, guard);
                if let Some(fails) = ends_all(expression, self.text) {
                    return left_by(guard, fails);
                }
            }
            Does::If { arms, otherwise } => return self.conditional(arms, otherwise, guard),
            Does::For { target, over, body } => {
                self.visit(over, guard);
                self.bind_elements(target, over, guard);
                return self.block(body, guard);
            }
            Does::Try(tried, others) => {
                let left = self.block(tried, guard);
                let unsure = Guard::all([guard.clone(), Guard::Unknown("an exception".to_owned())]);
                // what follows an `except` is the way out; `else` and `finally` are rare
                for body in others {
                    self.block(body, &unsure);
                }
                // where all of it leaves, what follows is for the exceptions
                return if left == *guard { Guard::Never } else { left };
            }
            Does::Block(heads, body) => {
                heads.iter().for_each(|head| self.visit(head, guard));
                return self.block(body, guard);
            }
            Does::Class { body, .. } => {
                // methods of a build command are called by setuptools
                for inner in body {
                    match &inner.does {
                        Does::Define { name, .. } => self.call(name, &[], guard),
                        _ => drop(self.statement(inner, guard)),
                    }
                }
            }
            Does::Return(value) => {
                if let Some(value) = value {
                    self.visit(value, guard);
                }
                return guard.clone();
            }
            Does::Raise(value) => {
                let words = value.as_ref().map(words_of).unwrap_or_default();
                self.setup.stops.push(Seen {
                    guard: guard.clone(),
                    what: words,
                    site: self.site(statement.span),
                });
                return left_by(guard, true);
            }
            Does::Import(module, names) => {
                self.setup.imports.push(module.clone());
                if module == "skbuild" || names.iter().any(|n| n == "CMakeExtension") {
                    self.setup.cmake.push(Seen {
                        guard: guard.clone(),
                        what: (),
                        site: self.site(statement.span),
                    });
                }
            }
            Does::Define { .. } | Does::Other => {}
        }
        Guard::Never
    }

    fn conditional(
        &mut self,
        arms: &'b [(Expression, Block)],
        otherwise: &'b Block,
        guard: &Guard,
    ) -> Guard {
        let mut before = Guard::Always;
        let mut left = Vec::new();
        for (test, body) in arms {
            let holds = self.test(test);
            let here = Guard::all([guard.clone(), before.clone(), holds.clone()]);
            left.push(self.block(body, &here));
            before = Guard::all([before, holds.not()]);
        }
        left.push(self.block(otherwise, &Guard::all([guard.clone(), before])));
        Guard::any(left)
    }

    fn assign(
        &mut self,
        targets: &'b [Expression],
        value: &'b Expression,
        changes: bool,
        guard: &Guard,
    ) {
        self.visit(value, guard);
        for target in targets {
            match &target.what {
                What::Name(name) if !changes => self.bind(name, Bound::Value(value), guard),
                What::List(items) => {
                    for (at, item) in items.iter().enumerate() {
                        let What::Name(name) = &item.what else {
                            continue;
                        };
                        let bound = match &value.what {
                            What::List(values) if values.len() == items.len() => {
                                Bound::Value(&values[at])
                            }
                            _ => Bound::Element(value),
                        };
                        self.bind(name, bound, guard);
                    }
                }
                What::Index(of, key) if of.path().is_some_and(|p| p.ends_with("environ")) => {
                    self.write(key, Some(value), false, guard, target.span);
                }
                _ => {}
            }
        }
    }

    fn bind(&mut self, name: &'b str, bound: Bound<'b>, guard: &Guard) {
        if let Some(scope) = self.scopes.last_mut() {
            let all = scope.entry(name).or_default();
            if *guard == Guard::Always && matches!(bound, Bound::Open) {
                all.clear();
            }
            all.push((guard.clone(), bound));
        }
    }

    fn bind_elements(&mut self, target: &'b Expression, over: &'b Expression, guard: &Guard) {
        match &target.what {
            What::Name(name) => self.bind(name, Bound::Element(over), guard),
            What::List(items) => items
                .iter()
                .for_each(|item| self.bind_elements(item, over, guard)),
            _ => {}
        }
    }

    /// Notes what an expression shows.
    pub(super) fn visit(&mut self, expression: &'b Expression, guard: &Guard) {
        if *guard == Guard::Never || !self.tick() {
            return;
        }
        match &expression.what {
            What::Text(_) => self.text(expression, guard),
            What::Name(_) | What::Attribute(..) => self.name(expression, guard),
            What::List(items) => return self.list(items, guard),
            What::Each {
                element,
                target,
                over,
            } => {
                self.visit(over, guard);
                self.bind_elements(target, over, guard);
                return self.visit(element, guard);
            }
            What::Choice { then, test, other } => {
                let holds = self.test(test);
                self.visit(then, &Guard::all([guard.clone(), holds.clone()]));
                return self.visit(other, &Guard::all([guard.clone(), holds.not()]));
            }
            What::Infix(_, operator, _) if matches!(operator.as_str(), "%" | "+") => {
                return self.made(expression, guard);
            }
            What::Infix(_, operator, _)
                if matches!(
                    operator.as_str(),
                    "==" | "!=" | "in" | "not in" | "is" | "is not"
                ) =>
            {
                return;
            }
            What::Call(of, args) => {
                if of.last_name() == Some("format") {
                    return self.made(expression, guard);
                }
                self.called_by_name(expression, of, args, guard);
            }
            What::Dict(entries) => self.host_flags(entries, guard),
            _ => {}
        }
        for part in expression.parts() {
            self.visit(part, guard);
        }
    }

    /// A text made of others: its template alone says nothing.
    fn made(&mut self, expression: &'b Expression, guard: &Guard) {
        self.text(expression, guard);
        let mut inner: Vec<&Expression> = expression.parts();
        while let Some(part) = inner.pop() {
            match &part.what {
                What::Text(_) => {}
                What::Attribute(of, _) => inner.push(of),
                _ => self.visit(part, guard),
            }
        }
    }

    fn list(&mut self, items: &'b [Expression], guard: &Guard) {
        let first = items
            .first()
            .and_then(Expression::literal)
            .unwrap_or_default();
        if first == "cmake" {
            let site = self.site(items[0].span);
            let configures = !items.iter().any(|i| {
                i.literal()
                    .is_some_and(|t| t == "--build" || t == "--version")
            });
            if configures {
                self.setup.cmake.push(Seen {
                    guard: guard.clone(),
                    what: (),
                    site,
                });
            }
        }
        let asks_version = items
            .iter()
            .any(|i| i.literal().is_some_and(|t| t == "-V" || t == "--version"));
        let mut items = items.iter();
        while let Some(item) = items.next() {
            // `-arch`, `sm_80`
            if item
                .literal()
                .is_some_and(|t| matches!(t.as_str(), "-arch" | "--gpu-architecture"))
                && let Some(value) = items.next()
            {
                let mut pieces = vec![Piece::Literal("-arch=".to_owned(), self.site(item.span))];
                pieces.extend(self.pieces(value));
                self.setup.flags.push(Seen {
                    guard: guard.clone(),
                    what: pieces,
                    site: self.site(item.span.to(value.span)),
                });
                continue;
            }
            // a tuple of classes on its way is no extension yet
            let class = item.path().is_some() && item.last_name() == Some("CUDAExtension");
            if !asks_version && !class {
                self.visit(item, guard);
            }
        }
    }

    fn text(&mut self, expression: &'b Expression, guard: &Guard) {
        if self.flag(expression, guard) {
            return;
        }
        let pieces = self.pieces(expression);
        let sketch = sketch(&pieces);
        let is_device_code = sketch.ends_with(".cu") || sketch.ends_with(".cuh");
        if is_device_code && !self.setup.device_code.contains(guard) {
            self.setup.device_code.push(guard.clone());
        }
        let host = [".cpp", ".cc", ".cxx", ".c"];
        self.setup.host_code |= host.iter().any(|end| sketch.ends_with(end));
        if sketch == "nvcc" || sketch.ends_with("/nvcc") {
            self.setup.nvcc.push(Seen {
                guard: guard.clone(),
                what: (),
                site: self.site(expression.span),
            });
        }
        if let Some(define) = sketch.strip_prefix("-D").filter(|d| d.contains('=')) {
            let name = define.split(['=', ':']).next().unwrap_or_default();
            if !name.is_empty() && !name.contains('?') {
                self.setup.defines.push(Seen {
                    guard: guard.clone(),
                    what: pieces,
                    site: self.site(expression.span),
                });
            }
        }
    }

    /// Notes a flag that names architectures.
    fn flag(&mut self, expression: &'b Expression, guard: &Guard) -> bool {
        let pieces = self.pieces(expression);
        let Some(pieces) = arch_of(pieces) else {
            return false;
        };
        self.setup.flags.push(Seen {
            guard: guard.clone(),
            what: pieces,
            site: self.site(expression.span),
        });
        true
    }

    fn name(&mut self, expression: &'b Expression, guard: &Guard) {
        let site = self.site(expression.span);
        let seen = |what| Seen {
            guard: guard.clone(),
            what,
            site,
        };
        match expression.last_name().unwrap_or_default() {
            "CUDAExtension" => self.setup.extensions.push(seen(())),
            "CMakeExtension" => self.setup.cmake_extensions.push(seen(())),
            "glob" | "iglob" | "rglob" | "listdir" | "scandir" | "walk" | "iterdir" => {
                self.setup.lists_files = true;
            }
            "CppExtension" | "Extension" | "Pybind11Extension" | "RustExtension"
            | "CFFIExtension" | "cythonize" => {
                self.setup.plain_extensions = true;
            }
            name => {
                let lower = name.to_ascii_lowercase();
                if lower.contains("cuda") || lower.contains("nvcc") {
                    self.setup.hint.get_or_insert(site);
                }
            }
        }
    }

    fn called_by_name(
        &mut self,
        call: &'b Expression,
        of: &'b Expression,
        args: &'b [Argument],
        guard: &Guard,
    ) {
        let Some(name) = of.last_name() else { return };
        let path = of.path().unwrap_or_else(|| format!("?.{name}"));
        if let Some((variable, _)) = self.env_read(call)
            && is_flags_variable(&variable)
        {
            self.setup.raw_flags.push(Seen {
                guard: guard.clone(),
                what: variable,
                site: self.site(call.span),
            });
        }
        match (name, args) {
            ("setup", args) => self.package(args),
            ("setdefault", [key, value, ..]) if path.ends_with("environ.setdefault") => {
                self.write(&key.value, Some(&value.value), true, guard, call.span);
            }
            ("putenv", [key, value, ..]) => {
                self.write(&key.value, Some(&value.value), false, guard, call.span)
            }
            ("pop", [key, ..]) if path.ends_with("environ.pop") => {
                self.write(&key.value, None, false, guard, call.span)
            }
            ("update", [values, ..]) if path.ends_with("environ.update") => {
                if let What::Dict(entries) = &values.value.what {
                    for (key, value) in entries {
                        self.write(key, Some(value), false, guard, key.span);
                    }
                }
            }
            ("exit" | "_exit", _) if ends_all(call, self.text) == Some(true) => {
                let words = args
                    .first()
                    .and_then(|a| a.value.literal())
                    .unwrap_or_default();
                self.setup.stops.push(Seen {
                    guard: guard.clone(),
                    what: words,
                    site: self.site(call.span),
                });
            }
            _ => self.call(name, args, guard),
        }
    }

    /// Follows a call of a function of the file.
    fn call(&mut self, name: &str, args: &'b [Argument], guard: &Guard) {
        let Some((&name, &(parameters, body))) = self.functions.get_key_value(name) else {
            return;
        };
        let again = self.done.iter().any(|(n, g)| *n == name && g == guard);
        if again || self.called.contains(&name) || self.called.len() >= MAX_CALLS {
            return;
        }
        self.done.push((name, guard.clone()));
        self.called.push(name);
        let mut scope = BTreeMap::new();
        for (at, (parameter, default)) in parameters.iter().enumerate() {
            let given = args
                .iter()
                .find(|a| a.name.as_deref() == Some(parameter))
                .or_else(|| args.get(at).filter(|a| a.name.is_none()));
            // a name means something else inside
            let bound = match (given, default) {
                (Some(given), _)
                    if given.value.parts().is_empty() && given.value.path().is_none() =>
                {
                    Bound::Value(&given.value)
                }
                (Some(given), _) if matches!(given.value.what, What::List(_)) => {
                    Bound::Value(&given.value)
                }
                (None, Some(default)) => Bound::Value(default),
                _ => Bound::Open,
            };
            scope.insert(parameter.as_str(), vec![(Guard::Always, bound)]);
        }
        self.scopes.push(scope);
        self.block(body, guard);
        self.scopes.pop();
        self.called.pop();
    }

    fn write(
        &mut self,
        key: &'b Expression,
        value: Option<&'b Expression>,
        default: bool,
        guard: &Guard,
        span: Span,
    ) {
        if key.literal().as_deref() != Some("TORCH_CUDA_ARCH_LIST") {
            return;
        }
        let value = value.map(|value| {
            let pieces = self.pieces(value);
            // `";".join([…])`
            match self.joined(value) {
                Some(joined) => joined,
                None => pieces,
            }
        });
        let what = Written { default, value };
        self.setup.lists.push(Seen {
            guard: guard.clone(),
            what,
            site: self.site(span),
        });
    }

    fn package(&mut self, args: &'b [Argument]) {
        for arg in args {
            match arg.name.as_deref() {
                Some("name") => self.setup.name = self.known(&arg.value),
                Some("version") => self.setup.version = self.known(&arg.value),
                Some("ext_modules") => {
                    let none = matches!(&arg.value.what, What::List(items) if items.is_empty());
                    self.setup.has_modules |= !none;
                }
                _ => {}
            }
        }
    }

    fn known(&mut self, expression: &'b Expression) -> Option<String> {
        seen::known(&self.pieces(expression))
    }

    /// All that `name` may be where the line at hand is reached, the latest last.
    pub(super) fn bindings(&self, name: &str) -> Vec<(Guard, Bound<'b>)> {
        let limit = self
            .resolving
            .iter()
            .rev()
            .find(|(n, _)| n == name)
            .map(|(_, limit)| *limit);
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        let all = found.map_or(&[][..], Vec::as_slice);
        all[..limit.unwrap_or(all.len()).min(all.len())].to_vec()
    }
}

/// `NVCC_FLAGS`, `TORCH_NVCC_FLAGS`, `MMCV_CUDA_ARGS`.
fn is_flags_variable(name: &str) -> bool {
    let flags = name.ends_with("FLAGS") || name.ends_with("ARGS");
    flags && (name.contains("NVCC") || name.contains("CUDA"))
}

/// When a block is left by the end of the program. An error under a condition that cannot be told is passed over: where it
/// is met, nothing is built that could be judged.
fn left_by(guard: &Guard, fails: bool) -> Guard {
    if fails && guard.is_unsure() {
        Guard::Never
    } else {
        guard.clone()
    }
}

/// Whether `sys.exit(…)` fails, where it is one.
fn ends_all(expression: &Expression, text: &str) -> Option<bool> {
    let What::Call(of, args) = &expression.what else {
        return None;
    };
    let path = of.path()?;
    if !matches!(path.as_str(), "exit" | "sys.exit" | "os._exit") {
        return None;
    }
    let status = args
        .first()
        .and_then(|a| text.get(a.value.span.range()))
        .unwrap_or("0");
    Some(!matches!(status, "0" | "None"))
}

/// The message of `raise Error("message")`.
fn words_of(raised: &Expression) -> String {
    let What::Call(_, args) = &raised.what else {
        return String::new();
    };
    let Some(first) = args.first() else {
        return String::new();
    };
    let What::Text(pieces) = &first.value.what else {
        return String::new();
    };
    let piece = |p: &python::Piece| match p {
        python::Piece::Literal(text, _) => text.clone(),
        python::Piece::Hole(_) => "…".to_owned(),
    };
    let text: String = pieces.iter().map(piece).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
