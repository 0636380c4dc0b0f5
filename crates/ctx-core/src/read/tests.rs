use std::fs;
use std::io::Write as _;

use proptest::prelude::*;

use encoding_rs::{UTF_16BE, UTF_16LE};

use super::guess::Guess;
use super::*;

fn text_of(bytes: &[u8]) -> (String, Encoding) {
    let text = decode(bytes, None).unwrap();
    assert_eq!(text.bytes, bytes.len() as u64);
    assert!(!text.lossy);
    (text.text.into_owned(), text.encoding)
}

fn read_path(path: &Path) -> Result<String, Unreadable> {
    let mut buffer = Page::default();
    read(open(path)?, DEFAULT_MAX_BYTES, &mut buffer).map(|text| text.text.into_owned())
}

#[test]
fn encodings_are_detected_by_byte_order_mark_and_content() {
    assert_eq!(text_of(b""), (String::new(), Encoding::Utf8));
    assert_eq!(text_of("héllo".as_bytes()), ("héllo".to_owned(), Encoding::Utf8));
    assert_eq!(text_of(b"\xef\xbb\xbfhi"), ("hi".to_owned(), Encoding::Utf8Bom));
    assert_eq!(text_of(b"\xef\xbb\xbf\xef\xbb\xbf"), ("\u{FEFF}".to_owned(), Encoding::Utf8Bom));
    assert_eq!(text_of(b"\xff\xfeh\0\xe9\0"), ("hé".to_owned(), Encoding::Utf16Le));
    assert_eq!(text_of(b"\xfe\xff\0h\xd8\x3d\xde\0"), ("h😀".to_owned(), Encoding::Utf16Be));
    let by_nuls = |encoding| Encoding::Guessed(Guess { encoding, is_sure: true });
    assert_eq!(text_of(b"h\0\xe9\0"), ("hé".to_owned(), by_nuls(UTF_16LE)));
    assert_eq!(text_of(b"\0h\0\xe9"), ("hé".to_owned(), by_nuls(UTF_16BE)));
    let western = guessed(encoding_rs::WINDOWS_1252);
    assert_eq!(text_of(b"caf\xe9 \x80\x93"), ("café €“".to_owned(), western));
    assert_eq!(text_of(b"\xef\xbb\xbfcaf\xe9"), ("café".to_owned(), western));
}

fn guessed(encoding: &'static encoding_rs::Encoding) -> Encoding {
    Encoding::Guessed(Guess { encoding, is_sure: true })
}

#[test]
fn what_is_said_about_an_encoding_settles_it() {
    let said = |is_of_one| Some(SaidEncoding { encoding: "gbk".parse().unwrap(), is_of_one });
    let text = |bytes: &'static [u8], is_of_one| decode(bytes, said(is_of_one)).unwrap().text.into_owned();
    assert_eq!(text(b"\xb4\xa6\xc0\xed", false), "处理");
    assert_eq!(text("é".as_bytes(), false), "é");
    assert_eq!(text("é".as_bytes(), true), "茅");
    assert_eq!(text(b"\xef\xbb\xbf\xc3\xa9", true), "é");
    assert!(decode(b"%PDF-1.4 \xe9", said(false)).is_err() && decode(b"a\0", said(false)).is_err());
}

#[test]
fn undecodable_text_is_marked_lossy() {
    for bytes in [b"\xff\xfe\0\xd8h\0".as_slice(), b"\xff\xfeh\0x"] {
        let text = decode(bytes, None).unwrap();
        assert!(text.lossy && text.text.contains('\u{FFFD}'), "{text:?}");
    }
}

#[test]
fn a_nul_means_binary() {
    let late = |tail: &[u8]| [&[b'a'; 8192], tail].concat();
    for bytes in
        [b"\0".to_vec(), b"\xff\xfe\0\0h\0\0\0".to_vec(), late(b"\0\xe9"), b"\xef\xbb\xbf\0".to_vec()]
    {
        assert!(matches!(decode(&bytes, None), Err(Unreadable::Binary)), "{bytes:?}");
    }
    assert!(matches!(
        decode(&late(b"")[1..].iter().copied().chain([0]).collect::<Vec<_>>(), None),
        Err(Unreadable::Binary)
    ));
    assert_eq!(decode(&late(b"\0"), None).unwrap().text.len(), 8193);
}

#[test]
fn files_of_any_size_below_the_limit_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.txt");
    let mut buffer = Page::default();
    for content in ["", "one\n", &"many\n".repeat(100_000), "few\n"] {
        fs::write(&path, content).unwrap();
        let text = read(open(&path).unwrap(), DEFAULT_MAX_BYTES, &mut buffer).unwrap();
        assert_eq!(
            text,
            DecodedText {
                text: content.into(),
                encoding: Encoding::Utf8,
                lossy: false,
                bytes: content.len() as u64
            }
        );
    }
}

#[test]
fn a_large_file_is_refused_without_reading_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sparse");
    fs::File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let mut buffer = Page::default();
    let error = read(open(&path).unwrap(), DEFAULT_MAX_BYTES, &mut buffer).unwrap_err();
    assert_eq!(error.to_string(), "too large: 5,368,709,120 bytes, the limit is 10,485,760");
    assert_eq!(error.code().code(), "too-large");
    assert!(buffer.bytes().is_empty());
    fs::write(&path, "four").unwrap();
    assert!(read(open(&path).unwrap(), 4, &mut buffer).is_ok());
    let error = read(open(&path).unwrap(), 3, &mut buffer).unwrap_err();
    assert!(matches!(error, Unreadable::TooLarge { size: 4, limit: 3 }));
}

#[test]
fn a_large_sparse_file_is_recognised_as_binary_by_its_beginning() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sparse");
    fs::File::create(&path).unwrap().set_len(5 << 30).unwrap();
    let mut buffer = Page::default();
    let error = read(open(&path).unwrap(), 6 << 30, &mut buffer).unwrap_err();
    assert_eq!(error.code().code(), "binary");
    assert_eq!(buffer.bytes().len(), 8 * 1024);
}

#[test]
fn a_missing_file_is_reported_as_not_found() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [directory.path().join("none"), file.join("below")] {
        let error = read_path(&path).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.code().code()), ("not found", "not-found"));
    }
}

#[test]
fn a_directory_is_not_a_regular_file() {
    let directory = tempfile::tempdir().unwrap();
    let error = read_path(directory.path()).unwrap_err();
    assert_eq!(error.to_string(), "not a regular file but a directory");
    assert_eq!(error.code().code(), "not-regular");
}

#[test]
fn file_changed_while_being_read_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    fs::write(&path, "before").unwrap();
    let before = fs::metadata(&path).unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b" after").unwrap();
    assert!(!is_same(&before, &fs::metadata(&path).unwrap()));

    let mut file = open(&path).unwrap();
    let mut buffer = Page::default();
    fs::write(&path, "cut").unwrap();
    assert_eq!(buffer.read(&mut file, 6).unwrap(), 3);
    assert_eq!(buffer.bytes(), b"cut");
    assert_eq!(Unreadable::Changed.to_string(), "changed while being read");
}

/// Each read returns one of the two versions that were written, complete.
#[test]
fn a_file_that_is_constantly_rewritten_is_read_whole_or_refused() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("busy");
    let contents = ["a".repeat(300_000), "b".repeat(200_000)];
    fs::write(&path, &contents[0]).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for content in &contents {
                    fs::write(&path, content).unwrap();
                }
            }
        });
        let mut buffer = Page::default();
        for _ in 0..300 {
            match read(open(&path).unwrap(), DEFAULT_MAX_BYTES, &mut buffer) {
                Ok(text) => assert!(
                    text.text.bytes().all(|b| b == text.text.as_bytes()[0]),
                    "a mixture of two contents"
                ),
                Err(error) => assert_eq!(error.code().code(), "changed"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[track_caller]
    fn is_special(path: &Path, special: Special) {
        match read_path(path) {
            Err(Unreadable::NotRegular(found)) => assert_eq!(found, special, "{}", path.display()),
            other => panic!("{}: {other:?}", path.display()),
        }
    }

    #[test]
    fn special_files_are_refused_without_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        is_special(&fifo, Special::Fifo);
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&fifo, &link).unwrap();
        is_special(&link, Special::Fifo);
        let socket = directory.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        is_special(&socket, Special::Socket);
        is_special(Path::new("/dev/zero"), Special::Device);
        is_special(Path::new("/dev/null"), Special::Device);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn file_generated_by_the_kernel_is_refused() {
        is_special(Path::new("/proc/self/environ"), Special::Kernel);
        is_special(Path::new("/proc/version"), Special::Kernel);
        let sys = Path::new("/sys/kernel/profiling");
        if sys.exists() {
            is_special(sys, Special::Kernel);
        }
    }

    #[test]
    fn a_file_without_read_permission_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("private");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if rustix::process::geteuid().is_root() {
            writeln!(io::stderr(), "root may read everything: only the error itself is tested").unwrap();
            let error = Unreadable::from(io::Error::from(io::ErrorKind::PermissionDenied));
            assert_eq!(
                (error.to_string().as_str(), error.code().code()),
                ("permission denied", "permission-denied")
            );
            return;
        }
        assert_eq!(read_path(&path).unwrap_err().code().code(), "permission-denied");
    }

    #[test]
    fn a_link_loop_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("loop");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        assert_eq!(read_path(&path).unwrap_err().code().code(), "io-error");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_or_binary(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        match decode(&bytes, None) {
            Ok(text) => prop_assert_eq!(text.bytes, bytes.len() as u64),
            Err(error) => prop_assert_eq!(error.code().code(), "binary"),
        }
    }

    #[test]
    fn decoding_restores_any_text(text in "\\PC{0,40}") {
        prop_assert_eq!(&text_of(text.as_bytes()).0, text.trim_start_matches('\u{FEFF}'));
        let utf16 = |encode: fn(u16) -> [u8; 2]| "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(encode).collect::<Vec<u8>>();
        prop_assert_eq!(&text_of(&utf16(u16::to_le_bytes)).0, &text);
        prop_assert_eq!(&text_of(&utf16(u16::to_be_bytes)).0, &text);
    }
}
