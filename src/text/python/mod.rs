//! Python source as far as build scripts need it: statements in blocks, expressions, strings with their places.
//! Never run: what is not understood is there as unknown.
pub mod expression;
mod parser;
mod statement;
mod tokens;

pub use expression::{Argument, Expression, Piece, What};
pub use statement::{Block, Does, Statement, read};
pub use tokens::{Kind, Token, tokens};

/// A piece of a string literal, as a token has it.
pub type TextPiece = tokens::Piece;
