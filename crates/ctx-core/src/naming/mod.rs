//! Names that a model chooses for a question: what the code probably calls the things that the question is about.
//!
//! The words of a question are often not those of the code, and a model knows what such things are called. So
//! before the files are ranked, a program gets a [`NamesRequest`]: the question, the names of the files, and an outline
//! of what a first search finds. Its reply is only data: [`names_in`] reads names from whatever form it has, and
//! [`Chosen::among`] keeps those that occur in the files, and the paths of files that are looked through.
//! They help to choose passages and do nothing else.

mod chosen;
mod kept;
mod programs;
mod reply;
mod request;

pub use chosen::Chosen;
pub use kept::KeptNames;
pub use programs::{SecondRun, in_second_run};
pub use reply::{MOST_BYTES, echoes, names_in};
pub use request::{NamesRequest, PARAGRAPH};
