//! A serde serializer that writes any value as a Rust constant expression: structs as `Name { field: .. }`, enums as
//! `Name::Variant(..)`, sequences as `&[..]`. Names are those of the type, so a type renames only `deserialize`.
use serde::ser::{self, Serialize};
use std::fmt::{Display, Write};

/// The expression for `value`.
pub fn expression<T: Serialize + ?Sized>(value: &T) -> Result<String, Unwritable> {
    let mut writer = Writer(String::new());
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// `pub static NAME: &[TYPE] = &[..];`, one element a line.
pub fn table<T: Serialize>(name: &str, type_path: &str, rows: &[T]) -> Result<String, Unwritable> {
    let mut text = format!("pub static {name}: &[{type_path}] = &[\n");
    for row in rows {
        let _ = writeln!(text, "    {},", expression(row)?);
    }
    text.push_str("];\n");
    Ok(text)
}

/// `pub static NAME: TYPE = ..;`
pub fn constant<T: Serialize>(
    name: &str,
    type_path: &str,
    value: &T,
) -> Result<String, Unwritable> {
    Ok(format!(
        "pub static {name}: {type_path} = {};\n",
        expression(value)?
    ))
}

/// A value that has no form as a constant.
#[derive(Debug)]
pub struct Unwritable(String);

impl Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

struct Writer(String);

impl Writer {
    fn put(&mut self, text: impl Display) -> Result<(), Unwritable> {
        write!(self.0, "{text}").map_err(ser::Error::custom)
    }

    fn open(&mut self, text: impl Display, close: &'static str) -> Result<Group<'_>, Unwritable> {
        self.put(text)?;
        Ok(Group {
            writer: self,
            close,
        })
    }
}

/// What stands between an opening and a closing bracket.
struct Group<'w> {
    writer: &'w mut Writer,
    close: &'static str,
}

impl Group<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, label: &str, value: &T) -> Result<(), Unwritable> {
        self.writer.put(label)?;
        value.serialize(&mut *self.writer)?;
        self.writer.put(", ")
    }

    fn finish(self) -> Result<(), Unwritable> {
        self.writer.put(self.close)
    }
}

/// The compound traits differ in the name of their method only.
macro_rules! group {
    ($($trait:ident $method:ident,)*) => {$(
        impl ser::$trait for Group<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
                self.item("", value)
            }

            fn end(self) -> Result<(), Unwritable> {
                self.finish()
            }
        }
    )*};
}

group! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

/// So do the two with named fields.
macro_rules! fields {
    ($($trait:ident,)*) => {$(
        impl ser::$trait for Group<'_> {
            type Ok = ();
            type Error = Unwritable;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Unwritable> {
                self.item(&format!("{key}: "), value)
            }

            fn end(self) -> Result<(), Unwritable> {
                self.finish()
            }
        }
    )*};
}

fields! { SerializeStruct, SerializeStructVariant, }

/// Values that print as Rust writes them.
macro_rules! plain {
    ($($method:ident($type:ty),)*) => {$(
        fn $method(self, value: $type) -> Result<(), Unwritable> {
            self.put(format_args!("{value:?}"))
        }
    )*};
}

impl<'w> ser::Serializer for &'w mut Writer {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Group<'w>;
    type SerializeTuple = Group<'w>;
    type SerializeTupleStruct = Group<'w>;
    type SerializeTupleVariant = Group<'w>;
    type SerializeMap = ser::Impossible<(), Unwritable>;
    type SerializeStruct = Group<'w>;
    type SerializeStructVariant = Group<'w>;

    plain! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64),
        serialize_f32(f32), serialize_f64(f64),
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Unwritable> {
        self.put(format_args!("&{bytes:?}"))
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.put("None")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        self.serialize_newtype_struct("Some", value)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.put("()")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), Unwritable> {
        self.put(name)
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Unwritable> {
        self.put(format_args!("{name}::{}", rust_name(variant)))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.put(format_args!("{name}("))?;
        value.serialize(&mut *self)?;
        self.put(")")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.put(format_args!("{name}::{}(", rust_name(variant)))?;
        value.serialize(&mut *self)?;
        self.put(")")
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Group<'w>, Unwritable> {
        self.open("&[", "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Group<'w>, Unwritable> {
        self.open("(", ")")
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Group<'w>, Unwritable> {
        self.open(format_args!("{name}("), ")")
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Group<'w>, Unwritable> {
        self.open(format_args!("{name}::{}(", rust_name(variant)), ")")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Unwritable> {
        Err(ser::Error::custom(
            "a map has no form as a constant: use a List of pairs",
        ))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Group<'w>, Unwritable> {
        self.open(format_args!("{name} {{ "), "}")
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Group<'w>, Unwritable> {
        self.open(format_args!("{name}::{} {{ ", rust_name(variant)), "}")
    }
}

/// The variant's name in Rust, of a type that writes it as `kebab-case` or in lower case.
fn rust_name(variant: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars).collect::<String>()
    };
    variant.split('-').map(capital).collect()
}
