//! The first bytes of well-known binary formats.
//!
//! Most such files contain a NUL early, which is enough to recognise them; these may not. The numbers are those in
//! `file` and the formats' specifications.

/// The offset of a magic number, and the number.
struct Magic {
    at: usize,
    bytes: &'static [u8],
}

const fn at_start(bytes: &'static [u8]) -> Magic {
    Magic { at: 0, bytes }
}

const FORMATS: [Magic; 36] = [
    // Documents: PDF, the old Office formats, PostScript with a preview and without, RTF, DjVu.
    at_start(b"%PDF-"),
    at_start(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    at_start(b"\xc5\xd0\xd3\xc6"),
    at_start(b"%!PS-Adobe-"),
    at_start(b"{\\rtf"),
    at_start(b"AT&TFORM"),
    // Images: PNG, JPEG, GIF, WebP (RIFF), TIFF, Photoshop, JPEG 2000, HEIF and AVIF (with a `ftyp` box).
    at_start(b"\x89PNG\r\n\x1a\n"),
    at_start(b"\xff\xd8\xff"),
    at_start(b"GIF87a"),
    at_start(b"GIF89a"),
    Magic { at: 8, bytes: b"WEBP" },
    at_start(b"8BPS\0"),
    at_start(b"\xff\x4f\xff\x51"),
    // Sound and video: WAVE and AVI (RIFF), Ogg, MP3 with tags, FLAC, Matroska.
    Magic { at: 8, bytes: b"WAVEfmt " },
    Magic { at: 8, bytes: b"AVI LIST" },
    at_start(b"OggS\0"),
    at_start(b"ID3\x02"),
    at_start(b"ID3\x03"),
    at_start(b"ID3\x04"),
    at_start(b"fLaC\0"),
    at_start(b"\x1a\x45\xdf\xa3"),
    // Archives and compressed files: zip and formats based on it, gzip, bzip2 (by the start of its first block),
    // xz, zstd, 7z, RAR, LZ4, ar, cabinets.
    at_start(b"PK\x03\x04"),
    at_start(b"PK\x05\x06"),
    at_start(b"\x1f\x8b\x08"),
    Magic { at: 4, bytes: b"1AY&SY" },
    at_start(b"\xfd7zXZ\0"),
    at_start(b"\x28\xb5\x2f\xfd"),
    at_start(b"7z\xbc\xaf\x27\x1c"),
    at_start(b"Rar!\x1a\x07"),
    at_start(b"\x04\x22\x4d\x18"),
    at_start(b"!<arch>\n"),
    // Programs and data: this is enough for ELF, Java classes, SQLite, web fonts and OpenPGP keys.
    at_start(b"\x7fELF"),
    at_start(b"\xca\xfe\xba\xbe"),
    at_start(b"SQLite format 3\0"),
    at_start(b"wOFF\0"),
    at_start(b"wOF2\0"),
];

/// Whether a file with this beginning is in one of these formats.
pub(super) fn is_binary(head: &[u8]) -> bool {
    FORMATS.iter().any(|magic| head.get(magic.at..).is_some_and(|head| head.starts_with(magic.bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_formats_are_recognised_by_their_first_bytes() {
        for head in [
            &b"%PDF-1.7\nno zero byte"[..],
            b"%!PS-Adobe-3.0\n",
            b"{\\rtf1\\ansi Hello}",
            b"\x89PNG\r\n\x1a\n",
            b"\xff\xd8\xff\xe0",
            b"PK\x03\x04\x14",
            b"\x1f\x8b\x08\x08",
            b"BZh91AY&SY",
            b"RIFF\x24\x10\x01\x02WEBPVP8 ",
            b"ID3\x04 tags",
        ] {
            assert!(is_binary(head), "{head:?}");
        }
        for text in
            ["", "%!PS", "ID3 tags are old", "GIF is an image format", "BZh9", "PK", "RIFF, said WEBP", "7z"]
        {
            assert!(!is_binary(text.as_bytes()), "{text}");
        }
    }
}
