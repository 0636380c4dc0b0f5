//! Lists that others may have written: those of a project, and of a store in the tree.

mod bounds;
mod lists;
mod store_in_tree;
pub mod support;
mod team;
mod todo;
