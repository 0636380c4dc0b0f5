//! Enums whose variants are each written as one word.

/// Declares an enum whose variants are each written as one word. It has `ALL`, its variants in order; `name`,
/// the word for each; and `Display` and `Serialize`, which write the word. With `read as "kind"` after its
/// name, it also has `FromStr`, whose error lists all words for that kind of thing.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident $(read as $kind:literal)? {
            $($(#[$variant_attribute:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        $(#[$attribute])*
        pub enum $name {
            $($(#[$variant_attribute])* $variant,)+
        }

        impl $name {
            /// All variants, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word for it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        $(impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                $crate::words::known(&Self::ALL, $kind, text)
            }
        })?
    };
}

pub(crate) use named;
