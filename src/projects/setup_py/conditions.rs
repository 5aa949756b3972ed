//! The conditions of a `setup.py` as formulas.
use super::LIST;
use super::scan::{Bound, Scan};
use crate::projects::guard::{Check, Guard};
use crate::text::python::{Does, Expression, What};

impl<'b> Scan<'b> {
    /// When `expression` holds.
    pub(super) fn test(&mut self, expression: &'b Expression) -> Guard {
        if !self.tick() {
            return self.unknown(expression);
        }
        if let Some((name, default)) = self.env_read(expression) {
            return truthy(&name, default.and_then(Expression::literal).as_deref());
        }
        match &expression.what {
            What::Name(name) => self.test_name(name, expression),
            What::Number(number) => (number != "0").into(),
            What::Text(_) => match expression.literal() {
                Some(text) => (!text.is_empty()).into(),
                None => self.unknown(expression),
            },
            What::List(items) => (!items.is_empty()).into(),
            What::Prefixed(operator, of) if operator == "not" => self.test(of).not(),
            What::Infix(a, operator, b) if operator == "and" => {
                let both = [self.test(a), self.test(b)];
                Guard::all(both)
            }
            What::Infix(a, operator, b) if operator == "or" => {
                let both = [self.test(a), self.test(b)];
                Guard::any(both)
            }
            What::Infix(a, operator, b) => self
                .comparison(a, operator, b)
                .unwrap_or_else(|| self.unknown(expression)),
            What::Choice { then, test, other } => {
                let test = self.test(test);
                let then = Guard::all([test.clone(), self.test(then)]);
                let other = Guard::all([test.not(), self.test(other)]);
                Guard::any([then, other])
            }
            What::Attribute(..) => constant(expression).unwrap_or_else(|| self.unknown(expression)),
            What::Call(of, args) => self.test_call(expression, of, args),
            _ => self.unknown(expression),
        }
    }

    fn unknown(&self, expression: &Expression) -> Guard {
        let text = self.text.get(expression.span.range()).unwrap_or_default();
        let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = words.char_indices().nth(60) {
            words.truncate(cut);
            words.push('…');
        }
        Guard::Unknown(words)
    }

    /// A name: what it was set to under which conditions, the latest first.
    fn test_name(&mut self, name: &str, expression: &'b Expression) -> Guard {
        if let Some(constant) = constant(expression) {
            return constant;
        }
        let all = self.bindings(name);
        if all.is_empty() || all.len() > 8 || self.resolving.len() >= 8 {
            return self.unknown(expression);
        }
        let mut holds = Guard::Never;
        for (at, (guard, bound)) in all.into_iter().enumerate() {
            let now = match bound {
                Bound::Value(value) => self.within(name, at, |scan| scan.test(value)),
                Bound::Element(_) | Bound::Open => self.unknown(expression),
            };
            holds = Guard::any([
                Guard::all([guard.clone(), now]),
                Guard::all([guard.not(), holds]),
            ]);
        }
        holds
    }

    fn test_call(
        &mut self,
        call: &'b Expression,
        of: &'b Expression,
        args: &'b [crate::text::python::Argument],
    ) -> Guard {
        let name = of.last_name().unwrap_or_default();
        let path = of.path().unwrap_or_default();
        if name == "is_available" && path.contains("cuda") || name == "device_count" {
            return Guard::Gpu;
        }
        let first = args.first().map(|a| &a.value);
        if path.ends_with("platform.startswith") {
            return first
                .and_then(Expression::literal)
                .is_some_and(|t| t.starts_with("linux"))
                .into();
        }
        match (name, first) {
            ("bool" | "int" | "strtobool" | "str2bool" | "len" | "float", Some(inner)) => {
                self.on(inner)
            }
            ("lower" | "strip" | "upper", _) => match &of.what {
                What::Attribute(inner, _) => self.test(inner),
                _ => self.unknown(call),
            },
            (
                "any" | "all",
                Some(Expression {
                    what: What::List(items),
                    ..
                }),
            ) => {
                let parts: Vec<Guard> = items.iter().map(|i| self.test(i)).collect();
                if name == "any" {
                    Guard::any(parts)
                } else {
                    Guard::all(parts)
                }
            }
            _ => self.test_function(name, call, first, args.get(1).map(|a| &a.value)),
        }
    }

    /// A function of the file that only gives back an expression, or one that by its name reads a switch of the environment.
    fn test_function(
        &mut self,
        name: &str,
        call: &'b Expression,
        first: Option<&'b Expression>,
        second: Option<&'b Expression>,
    ) -> Guard {
        if self.resolving.len() < 8
            && let Some((parameters, body)) = self.functions.get(name).copied()
            && parameters.iter().all(|(p, _)| p == "self")
            && let Some(value) = body.iter().find_map(|s| match &s.does {
                Does::Return(value) => value.as_ref(),
                _ => None,
            })
            && body.iter().all(|s| {
                matches!(
                    s.does,
                    Does::Return(_) | Does::Evaluate(_) | Does::Import(..)
                )
            })
        {
            return self.within(name, 0, |scan| scan.test(value));
        }
        let lower = name.to_ascii_lowercase();
        let reads = ["env", "flag", "bool_var"]
            .iter()
            .any(|w| lower.contains(w));
        match first.and_then(Expression::literal) {
            Some(variable)
                if reads
                    && variable
                        .bytes()
                        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') =>
            {
                let default =
                    second.is_some_and(|d| matches!(&d.what, What::Name(n) if n == "True"));
                on(&variable, default)
            }
            _ => self.unknown(call),
        }
    }

    /// A number or truth made of a value: `int(os.getenv("X", "0"))`.
    fn on(&mut self, inner: &'b Expression) -> Guard {
        match self.env_operand(inner) {
            Some(Operand { name, default, .. }) => on(&name, default.is_some_and(|d| is_on(&d))),
            None => self.test(inner),
        }
    }

    fn comparison(
        &mut self,
        a: &'b Expression,
        operator: &str,
        b: &'b Expression,
    ) -> Option<Guard> {
        let negative = matches!(operator, "!=" | "not in" | "is not");
        let sign = |guard: Guard| if negative { guard.not() } else { guard };
        let is_none = |e: &Expression| matches!(&e.what, What::Name(n) if n == "None");
        match operator {
            "in" | "not in" if b.path().is_some_and(|p| p.ends_with("environ")) => {
                Some(sign(Guard::Env(a.literal()?, Check::Set)))
            }
            "in" | "not in" if b.path().is_some_and(|p| p.ends_with("argv")) => Some(sign(
                Guard::Option(a.literal()?.trim_start_matches('-').to_owned()),
            )),
            "in" | "not in" => {
                let operand = self.env_operand(a)?;
                let What::List(items) = &b.what else {
                    return None;
                };
                let values: Option<Vec<String>> = items.iter().map(Expression::literal).collect();
                let values = values?;
                let truths = values.iter().filter(|v| is_on(v)).count();
                let guard = if operand.folded && truths == values.len() && truths > 1 {
                    on(&operand.name, operand.default.is_some_and(|d| is_on(&d)))
                } else {
                    Guard::any(values.iter().map(|v| operand.is(v)))
                };
                Some(sign(guard))
            }
            "is" | "is not" | "==" | "!=" if is_none(b) => {
                if let Some(operand) = self.env_operand(a) {
                    let set = match operand.default {
                        Some(_) => Guard::Always,
                        None => Guard::Env(operand.name, Check::Set),
                    };
                    return Some(sign(set.not()));
                }
                let there = match a.last_name() {
                    Some(_) => constant(a).or_else(|| self.is_there(a))?,
                    None => return None,
                };
                Some(sign(there.not()))
            }
            "is" | "is not" | "==" | "!=" if matches!(&b.what, What::Name(n) if n == "True" || n == "False") =>
            {
                let wanted = matches!(&b.what, What::Name(n) if n == "True");
                let holds = self.test(a);
                Some(sign(if wanted { holds } else { holds.not() }))
            }
            "==" | "!=" => {
                if let Some(system) = system(a, b) {
                    return Some(sign(system));
                }
                if let Some(operand) = self.env_operand(a) {
                    let value = match &b.what {
                        What::Number(number) => number.clone(),
                        _ => b.literal()?,
                    };
                    self.note_comparison(&operand, &value, b);
                    return Some(sign(operand.is(&value)));
                }
                self.version(a, operator, b)
            }
            ">" | ">=" | "<" | "<=" => {
                if let Some(operand) = self.env_operand(a)
                    && let What::Number(number) = &b.what
                {
                    let positive =
                        (operator == ">" && number == "0") || (operator == ">=" && number == "1");
                    return positive
                        .then(|| on(&operand.name, operand.default.is_some_and(|d| is_on(&d))));
                }
                if matches!(&a.what, What::Call(of, _) if of.last_name() == Some("device_count")) {
                    return Some(Guard::Gpu);
                }
                self.version(a, operator, b)
            }
            _ => None,
        }
    }

    /// Whether a name was set to anything but None.
    fn is_there(&mut self, expression: &'b Expression) -> Option<Guard> {
        let What::Name(name) = &expression.what else {
            return None;
        };
        let (bound, count) = self.last_binding(name)?;
        let Bound::Value(value) = bound else {
            return None;
        };
        match &value.what {
            What::Name(n) if n == "None" => Some(Guard::Never),
            _ => constant(value).or_else(|| self.within(name, count, |scan| scan.is_there(value))),
        }
    }

    /// A comparison of the CUDA version.
    fn version(&self, a: &Expression, operator: &str, b: &Expression) -> Option<Guard> {
        let text = self.text.get(a.span.range())?.to_ascii_lowercase();
        let about_cuda =
            (text.contains("cuda") || text.contains("nvcc") || text.contains("bare_metal"))
                && ["ver", "major", "bare_metal"]
                    .iter()
                    .any(|w| text.contains(w))
                && !text.contains("minor")
                && !text.contains("torch.__");
        let version = version_of(b)?;
        let plausible = version
            .split('.')
            .next()?
            .parse::<u32>()
            .is_ok_and(|major| (8..30).contains(&major));
        if !about_cuda || !plausible {
            return None;
        }
        let whole: Option<u32> = version.parse().ok();
        let major = text.contains("major");
        Some(Guard::Cuda(match (operator, whole) {
            ("==", Some(n)) => format!(">={n},<{}", n + 1),
            ("!=", Some(n)) => return Some(Guard::Cuda(format!(">={n},<{}", n + 1)).not()),
            (">", Some(n)) if major => format!(">={}", n + 1),
            ("<=", Some(n)) if major => format!("<{}", n + 1),
            (">=" | "<" | ">" | "<=", _) => format!("{operator}{version}"),
            ("==", None) => format!("=={version}"),
            _ => return None,
        }))
    }

    /// A variable of the environment, through conversions and names.
    /// Keeps the text with which torch's list is compared, if it names an architecture.
    fn note_comparison(&mut self, operand: &Operand, text: &str, at: &Expression) {
        let is_list = operand.name == LIST && text.contains(|c: char| c.is_ascii_digit());
        let comparison = (self.site(at.span), text.trim().to_owned());
        if is_list && !self.setup.comparisons.contains(&comparison) {
            self.setup.comparisons.push(comparison);
        }
    }

    fn env_operand(&mut self, expression: &'b Expression) -> Option<Operand> {
        if !self.tick() {
            return None;
        }
        if let Some((name, default)) = self.env_read(expression) {
            let default = default.and_then(|d| match &d.what {
                What::Number(number) => Some(number.clone()),
                _ => d.literal(),
            });
            return Some(Operand {
                name,
                default,
                folded: false,
            });
        }
        match &expression.what {
            What::Call(of, args) => {
                let inner = match (&of.what, of.last_name()?) {
                    (What::Attribute(inner, _), "lower" | "upper" | "strip" | "casefold") => {
                        &**inner
                    }
                    (What::Name(_), "int" | "str" | "bool" | "float") => &args.first()?.value,
                    _ => return None,
                };
                let folded = matches!(of.last_name(), Some("lower" | "upper" | "casefold"));
                let operand = self.env_operand(inner)?;
                Some(Operand {
                    folded: operand.folded || folded,
                    ..operand
                })
            }
            What::Name(name) => {
                let (bound, count) = self.last_binding(name)?;
                let Bound::Value(value) = bound else {
                    return None;
                };
                self.within(name, count, |scan| scan.env_operand(value))
            }
            _ => None,
        }
    }
}

/// A variable of the environment in a comparison.
struct Operand {
    name: String,
    default: Option<String>,
    /// Its case does not count.
    folded: bool,
}

impl Operand {
    fn is(&self, value: &str) -> Guard {
        let env = |v: &str| Guard::Env(self.name.clone(), Check::Is(v.to_owned()));
        let mut ways = vec![env(value)];
        if self.folded && value.chars().any(char::is_alphabetic) {
            let (lower, upper) = (value.to_ascii_lowercase(), value.to_ascii_uppercase());
            let title = upper
                .chars()
                .take(1)
                .chain(lower.chars().skip(1))
                .collect::<String>();
            ways.extend([env(&lower), env(&upper), env(&title)]);
        }
        if self
            .default
            .as_deref()
            .is_some_and(|d| d == value || (self.folded && d.eq_ignore_ascii_case(value)))
        {
            ways.push(Guard::Env(self.name.clone(), Check::Set).not());
        }
        Guard::any(ways)
    }
}

impl From<bool> for Guard {
    fn from(holds: bool) -> Self {
        if holds { Self::Always } else { Self::Never }
    }
}

/// A string of the environment as a condition: true unless it is empty.
fn truthy(name: &str, default: Option<&str>) -> Guard {
    let empty = Guard::Env(name.to_owned(), Check::Is(String::new()));
    let set = Guard::Env(name.to_owned(), Check::Set);
    match default {
        Some(default) if !default.is_empty() => empty.not(),
        _ => Guard::all([set, empty.not()]),
    }
}

/// A switch of the environment.
fn on(name: &str, default: bool) -> Guard {
    let on = Guard::Env(name.to_owned(), Check::On);
    if default {
        return Guard::Env(name.to_owned(), Check::Off).not();
    }
    on
}

fn is_on(text: &str) -> bool {
    !matches!(
        text.to_ascii_lowercase().as_str(),
        "" | "0" | "off" | "false" | "no" | "n" | "f"
    )
}

/// What is the same in every build for NVIDIA GPUs on Linux.
fn constant(expression: &Expression) -> Option<Guard> {
    let path = expression.path()?;
    let last = expression.last_name()?;
    let upper = last.to_ascii_uppercase();
    match last {
        "True" => return Some(Guard::Always),
        "False" | "None" => return Some(Guard::Never),
        "CUDA_HOME" | "IS_LINUX" => return Some(Guard::Always),
        // what a file makes of an import that fails
        "torch" if path == last => return Some(Guard::Always),
        "IS_WINDOWS" | "IS_MACOS" | "ROCM_HOME" | "IS_HIP_EXTENSION" => return Some(Guard::Never),
        _ => {}
    }
    if path.ends_with("version.cuda") {
        return Some(Guard::Always);
    }
    let other_maker = ["HIP", "ROCM", "MUSA", "XPU", "NPU", "WINDOWS"]
        .iter()
        .any(|w| upper.split('_').any(|part| part == *w));
    (path.ends_with("version.hip") || other_maker).then_some(Guard::Never)
}

/// `sys.platform == "win32"`, `os.name == "nt"`, `platform.system() == "Linux"`, `__name__ == "__main__"`.
fn system(a: &Expression, b: &Expression) -> Option<Guard> {
    let wanted = b.literal()?;
    let of = match &a.what {
        What::Call(of, _) => of,
        _ => a,
    };
    let path = of.path()?;
    let here = match path.as_str() {
        "sys.platform" => "linux",
        "os.name" => "posix",
        "platform.system" => "Linux",
        "__name__" => "__main__",
        _ => return None,
    };
    Some((wanted == here).into())
}

/// The version in `Version("11.8")`, `"11.8"`, `(11, 8)` or `11`.
fn version_of(expression: &Expression) -> Option<String> {
    match &expression.what {
        What::Number(number) => Some(number.clone()),
        What::Text(_) => expression.literal(),
        What::Call(of, args) => matches!(
            of.last_name()?,
            "Version"
                | "parse"
                | "parse_version"
                | "LooseVersion"
                | "StrictVersion"
                | "int"
                | "float"
        )
        .then(|| args.first())
        .flatten()
        .and_then(|a| version_of(&a.value)),
        What::List(items) => {
            let numbers: Option<Vec<String>> = items.iter().map(version_of).collect();
            numbers.filter(|n| !n.is_empty()).map(|n| n.join("."))
        }
        _ => None,
    }
}
