//! Reading the JSON form of an entry, so that an error stands at its place and names what is wrong.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Map;

use super::pattern::MAX_LENGTH;
use super::{ALLOW, Attributes, Entry, Kind, SecretAllowance, ZERO};

const FORM: &str = "an entry is a string or an object with a \"path\"";
const TAGS: &str = "\"tags\" to be a list of strings";

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entry, which is a string or an object with a \"path\"")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<Entry, E> {
        sound(path.to_owned()).map(Entry::new)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut path = None;
        let mut attributes = Attributes::default();
        let mut unknown = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "path" => path = Some(sound(map.next_value_seed(TextValue("\"path\" to be a string"))?)?),
                "tags" => attributes.tags = map.next_value_seed(Tags)?,
                "pin" => attributes.pin = map.next_value_seed(Flag("pin"))?,
                "ignore" => attributes.ignore = map.next_value_seed(Flag("ignore"))?,
                "secrets" => {
                    let words = ["name", ALLOW];
                    attributes.secrets =
                        match map.next_value_seed(Word("\"secrets\" to be \"name\" or \"allow\"", &words))? {
                            word if word == ALLOW => SecretAllowance::Contents,
                            _ => SecretAllowance::Names,
                        };
                }
                "hidden" => {
                    map.next_value_seed(Word("\"hidden\" to be \"allow\"", &[ALLOW]))?;
                    attributes.hidden = true;
                }
                "force" => attributes.force = map.next_value_seed(Flag("force"))?,
                "as" => {
                    let expected = "\"as\" to be \"full\", \"outline\" or \"name\"";
                    attributes.level = map.next_value_seed(Parsed::new(expected))?;
                }
                "search" => attributes.search = map.next_value_seed(Flag("search"))?,
                "share" => {
                    let expected = "\"share\" to be a percentage like \"20%\"";
                    attributes.share = Some(map.next_value_seed(Parsed::new(expected))?);
                }
                "off" => attributes.off = map.next_value_seed(Flag("off"))?,
                "imports" => attributes.imports = map.next_value_seed(Flag("imports"))?,
                "lines" => {
                    let expected = "\"lines\" to be lines like \"10-40\"";
                    attributes.lines = Some(map.next_value_seed(Parsed::new(expected))?);
                }
                "timeout" => {
                    let expected = "\"timeout\" to be a time like \"30s\" of at most \"10m\"";
                    attributes.timeout = Some(map.next_value_seed(Parsed::new(expected))?);
                }
                "max_output" => {
                    let expected = "\"max_output\" to be a size like \"64k\" of at most \"16m\"";
                    attributes.max_output = Some(map.next_value_seed(Parsed::new(expected))?);
                }
                "exit" => {
                    map.next_value_seed(Word("\"exit\" to be \"zero\"", &[ZERO]))?;
                    attributes.only_success = true;
                }
                "ttl" => {
                    let expected = "\"ttl\" to be a time like \"5m\"";
                    attributes.ttl = Some(map.next_value_seed(Parsed::new(expected))?);
                }
                _ => drop(unknown.insert(key, map.next_value()?)),
            }
        }
        let path = path.ok_or_else(|| A::Error::custom(FORM))?;
        Ok(Entry { path, attributes, unknown })
    }
}

/// Whether a path can name something on a disk. It is asked here, so that no later reader needs to: what is made of an
/// overlong pattern is much longer.
fn sound<E: Error>(path: String) -> Result<String, E> {
    if path.contains('\0') {
        return Err(E::custom("a path holds a NUL"));
    }
    if path.len() > MAX_LENGTH && !Kind::of(&path).is_text() {
        return Err(E::custom(format_args!("a path is longer than {MAX_LENGTH} bytes")));
    }
    Ok(path)
}

/// A value that must be a text; says what is expected where it is not.
pub struct TextValue<'a>(pub(crate) &'a str);

impl<'de> DeserializeSeed<'de> for TextValue<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for TextValue<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// A value that must be one of some words; says what is expected where it is not.
struct Word<'a>(&'a str, &'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Word<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let text = TextValue(self.0).deserialize(deserializer)?;
        if self.1.contains(&text.as_str()) {
            Ok(text)
        } else {
            Err(D::Error::invalid_value(Unexpected::Str(&text), &self.0))
        }
    }
}

/// A value that is written as a text of its own form, or as a number where a text of digits is of that form.
struct Parsed<T> {
    expected: &'static str,
    value: PhantomData<T>,
}

impl<T> Parsed<T> {
    fn new(expected: &'static str) -> Self {
        Self { expected, value: PhantomData }
    }
}

impl<'de, T: FromStr> DeserializeSeed<'de> for Parsed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<T: FromStr> Visitor<'_> for Parsed<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self.expected))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let parsed = number.to_string().parse();
        parsed.map_err(|_| E::invalid_value(Unexpected::Unsigned(number), &self.expected))
    }
}

/// An attribute that is true or false.
struct Flag(&'static str);

impl<'de> DeserializeSeed<'de> for Flag {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_bool(self)
    }
}

impl Visitor<'_> for Flag {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} to be true or false", self.0)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }
}

struct Tags;

impl<'de> DeserializeSeed<'de> for Tags {
    type Value = Vec<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<String>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Tags {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TAGS)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<String>, A::Error> {
        let mut tags = Vec::new();
        while let Some(tag) = seq.next_element_seed(TextValue(TAGS))? {
            tags.push(tag);
        }
        Ok(tags)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_place_and_names_the_attribute() {
        for (text, error) in [
            (
                "{\n\"path\":\"a\",\n\"tags\":\"x\"\n}",
                "invalid type: string \"x\", expected \"tags\" to be a list of strings at line 3",
            ),
            (
                "{\"path\":\"a\",\"tags\":[\"x\",1]}",
                "invalid type: integer `1`, expected \"tags\" to be a list of strings",
            ),
            (
                "{\"path\":\"a\",\"pin\":\"yes\"}",
                "invalid type: string \"yes\", expected \"pin\" to be true or false",
            ),
            (
                "{\"path\":\"a\",\"ignore\":null}",
                "invalid type: null, expected \"ignore\" to be true or false",
            ),
            (
                "{\"path\":\"a\",\"force\":0}",
                "invalid type: integer `0`, expected \"force\" to be true or false",
            ),
            (
                "{\"path\":\"a\",\"secrets\":\"all\"}",
                "invalid value: string \"all\", expected \"secrets\" to be \"name\" or \"allow\"",
            ),
            (
                "{\"path\":\"a\",\"hidden\":true}",
                "invalid type: boolean `true`, expected \"hidden\" to be \"allow\"",
            ),
            (
                "{\"path\":\"cmd:a\",\"timeout\":\"11m\"}",
                "invalid value: string \"11m\", expected \"timeout\" to be a time like \"30s\" of at most \"10m\"",
            ),
            ("{\"path\":\"cmd:a\",\"max_output\":true}", "expected \"max_output\" to be a size like \"64k\""),
            ("{\"path\":\"cmd:a\",\"exit\":\"any\"}", "expected \"exit\" to be \"zero\""),
            ("{\"path\":\"cmd:a\",\"ttl\":\"5\"}", "expected \"ttl\" to be a time like \"5m\""),
            ("{\"path\":\"a\",\"lines\":\"x\"}", "expected \"lines\" to be lines like \"10-40\""),
            ("{\"path\":\"a\",\"as\":\"all\"}", "expected \"as\" to be \"full\", \"outline\" or \"name\""),
            ("{\"path\":\"a\",\"share\":\"all\"}", "expected \"share\" to be a percentage like \"20%\""),
            ("{\"path\":\"a\",\"off\":1}", "expected \"off\" to be true or false"),
            ("{\"path\":[]}", "invalid type: sequence, expected \"path\" to be a string"),
            ("{\"pin\":true}", FORM),
            ("1", "expected an entry, which is a string or an object"),
            ("1.5", FORM),
            ("\"a\\u0000\"", "a path holds a NUL"),
            ("{\"path\":\"a\\u0000\"}", "a path holds a NUL"),
        ] {
            let told = serde_json::from_str::<Entry>(text).unwrap_err().to_string();
            assert!(told.contains(error), "{text}: {told}");
        }
    }

    #[test]
    fn text_longer_than_any_path_is_refused_before_anything_is_made_of_it() {
        let read = |path: &str| serde_json::from_value::<Entry>(serde_json::json!({ "path": path }));
        let hostile = format!("{}{}", "{a,b}".repeat(10), "x".repeat(1 << 20));
        assert_eq!(read(&hostile).unwrap_err().to_string(), "a path is longer than 4096 bytes");
        assert!(read(&format!("!{hostile}")).is_err() && read(&format!("up:{hostile}")).is_err());
        assert!(read(&"x".repeat(MAX_LENGTH)).is_ok());
        // What is given to a program may be longer than a path.
        assert!(read(&format!("cmd:echo {}", "x".repeat(MAX_LENGTH))).is_ok());
    }
}
