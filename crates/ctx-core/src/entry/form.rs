//! Reads the JSON form of an entry, so that errors name the position and the problem.

use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::pattern::MAX_LENGTH;
use super::{Attribute, Attributes, Entry, Kind};

const FORM: &str = "an entry is a string or an object with a \"path\"";

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
            if key == "path" {
                path = Some(sound(map.next_value_seed(TextValue("\"path\" to be a string"))?)?);
            } else if let Some(attribute) = Attribute::ALL.into_iter().find(|one| one.name() == key) {
                map.next_value_seed(OneAttribute { attribute, attributes: &mut attributes })?;
            } else {
                unknown.insert(key, map.next_value()?);
            }
        }
        let path = path.ok_or_else(|| A::Error::custom(FORM))?;
        Ok(Entry { path, attributes, unknown })
    }
}

/// Whether a path can name a file on disk. This is checked here, so that later code need not: the expansion of an
/// overlong pattern is much longer.
fn sound<E: Error>(path: String) -> Result<String, E> {
    if path.contains('\0') {
        return Err(E::custom("a path contains a NUL"));
    }
    if path.len() > MAX_LENGTH && !Kind::of(&path).is_text() {
        return Err(E::custom(format_args!("a path is longer than {MAX_LENGTH} bytes")));
    }
    Ok(path)
}

/// A value that must be a string; the error names what is expected.
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

/// An attribute whose value is read next, and the attributes that the value is added to.
struct OneAttribute<'a> {
    attribute: Attribute,
    attributes: &'a mut Attributes,
}

impl<'de> DeserializeSeed<'de> for OneAttribute<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl OneAttribute<'_> {
    fn read<E: Error>(self, value: &Value, unexpected: Unexpected<'_>) -> Result<(), E> {
        let read = self.attributes.read(self.attribute, value);
        read.ok_or_else(|| E::invalid_value(unexpected, &self.attribute.expected()))
    }
}

impl<'de> Visitor<'de> for OneAttribute<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.attribute.expected())
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        self.read(&flag.into(), Unexpected::Bool(flag))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.read(&number.into(), Unexpected::Unsigned(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.read(&text.into(), Unexpected::Str(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(seq))?;
        self.read(&value, Unexpected::Seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_reports_the_line_and_names_the_attribute() {
        for (text, error) in [
            (
                "{\n\"path\":\"a\",\n\"tags\":\"x\"\n}",
                "invalid value: string \"x\", expected \"tags\" to be a list of strings at line 3",
            ),
            (
                "{\"path\":\"a\",\"tags\":[\"x\",1]}",
                "invalid value: sequence, expected \"tags\" to be a list of strings",
            ),
            (
                "{\"path\":\"a\",\"pin\":\"yes\"}",
                "invalid value: string \"yes\", expected \"pin\" to be true or false",
            ),
            (
                "{\"path\":\"a\",\"search\":null}",
                "invalid type: null, expected \"search\" to be true or false",
            ),
            (
                "{\"path\":\"a\",\"allow\":\"secrets\"}",
                "invalid value: string \"secrets\", expected \"allow\" to be a list of \"ignored\", \"secret-names\", \
                 \"secrets\", \"hidden\" and \"data\"",
            ),
            (
                "{\"path\":\"a\",\"allow\":[\"everything\"]}",
                "invalid value: sequence, expected \"allow\" to be a list",
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
            ("\"a\\u0000\"", "a path contains a NUL"),
            ("{\"path\":\"a\\u0000\"}", "a path contains a NUL"),
        ] {
            let told = serde_json::from_str::<Entry>(text).unwrap_err().to_string();
            assert!(told.contains(error), "{text}: {told}");
        }
    }

    #[test]
    fn text_longer_than_any_path_is_refused_before_it_is_expanded() {
        let read = |path: &str| serde_json::from_value::<Entry>(serde_json::json!({ "path": path }));
        let hostile = format!("{}{}", "{a,b}".repeat(10), "x".repeat(1 << 20));
        assert_eq!(read(&hostile).unwrap_err().to_string(), "a path is longer than 4096 bytes");
        assert!(read(&format!("!{hostile}")).is_err() && read(&format!("up:{hostile}")).is_err());
        assert!(read(&"x".repeat(MAX_LENGTH)).is_ok());
        // A program's arguments may be longer than a path.
        assert!(read(&format!("cmd:echo {}", "x".repeat(MAX_LENGTH))).is_ok());
    }
}
