//! Text in any encoding: recognised, named, and settled by the user where it is uncertain.

use crate::support::{Sandbox, block};

/// Paragraphs, each with its encoding as messages name it, and some of its words.
const PROSE: [(&str, &str, &str); 11] = [
    (
        "GBK",
        "仓库里的每一份订单都要经过检查。如果库存不足，系统会把退款金额记录下来，并且通知客户。",
        "退款金额",
    ),
    (
        "Big5",
        "倉庫裡的每一份訂單都要經過檢查。如果庫存不足，系統會把退款金額記錄下來，並且通知客戶。",
        "退款金額",
    ),
    (
        "Shift_JIS",
        "倉庫の注文はすべて検査を受けなければなりません。在庫が足りない場合は顧客に知らせます。",
        "検査",
    ),
    (
        "EUC-JP",
        "倉庫の注文はすべて検査を受けなければなりません。在庫が足りない場合は顧客に知らせます。",
        "検査",
    ),
    ("EUC-KR", "창고의 모든 주문은 검사를 받아야 합니다. 재고가 부족하면 고객에게 알립니다.", "재고가"),
    ("KOI8-R", "Каждый заказ на складе проходит проверку. Система сообщает об этом клиенту.", "проверку"),
    (
        "Windows-1251",
        "Каждый заказ на складе проходит проверку. Система сообщает об этом клиенту.",
        "проверку",
    ),
    (
        "Windows-1250",
        "Žádná objednávka neopustí sklad bez kontroly. Chybějící zboží systém ohlásí zákazníkovi.",
        "objednávka",
    ),
    (
        "Windows-1253",
        "Κάθε παραγγελία στην αποθήκη περνά από έλεγχο. Το σύστημα ειδοποιεί τον πελάτη.",
        "έλεγχο",
    ),
    (
        "Windows-1252",
        "Jede Bestellung wird geprüft. Fehlt die Ware, so meldet es das System dem Käufer.",
        "geprüft",
    ),
    ("ISO-2022-JP", "Subject: 倉庫の注文は、すべて検査を受けなければなりません。", "検査"),
];

fn encoded(encoding: &str, text: &str) -> Vec<u8> {
    let encoder = encoding_rs::Encoding::for_label(encoding.as_bytes()).unwrap();
    let (bytes, _, has_lost) = encoder.encode(text);
    assert!(!has_lost, "{encoding}: {text}");
    bytes.into_owned()
}

#[test]
fn prose_in_each_encoding_is_decoded_named_and_found() {
    for (encoding, text, words) in PROSE {
        let sandbox = Sandbox::with(&[("other.md", "# Nothing of the kind\n")]);
        sandbox.write("a.txt", encoded(encoding, &format!("{text}\n")));
        let note = format!("note: 1 file read as {encoding}: 'a.txt'\n");
        let expected = block(&format!("[a.txt]\n{text}\n"));
        sandbox.ctx(["render", "--only", "--strict", "a.txt"]).stdout(&expected).stderr(&note).check();
        sandbox.ctx(["render", "--only", "*.txt"]).stdout(&expected).stderr(&note).check();
        sandbox.ctx(["search", words]).stdout_has("a.txt").stdout_has(words).stderr_any().check();
    }
}

#[test]
fn files_in_several_encodings_share_a_note() {
    let sandbox = Sandbox::new();
    for (encoding, text, _) in &PROSE[..2] {
        sandbox.write(&format!("{encoding}.txt"), encoded(encoding, text));
    }
    let note = "note: 2 files not read as UTF-8: 'Big5.txt' as Big5, 'GBK.txt' as GBK\n";
    sandbox.ctx(["render", "--only", "*.txt"]).stdout_any().stderr(note).check();
}

#[test]
fn uncertain_encoding_is_a_warning_and_patterns_leave_the_file_out() {
    let sandbox = Sandbox::with(&[("b.txt", "b\n")]);
    sandbox.write("a.txt", encoded("KOI8-R", "Имя\n"));
    let named = ["render", "--only", "a.txt"];
    let warning =
        "warning: 1 file read as Windows-1252: 'a.txt', which is uncertain; --encoding NAME settles it\n";
    sandbox.ctx(named).stdout(block("[a.txt]\néÍÑ\n")).stderr(warning).check();
    sandbox.ctx([&named[..], &["--strict"]].concat()).code(3).stderr_has("which is uncertain").check();
    let skipped =
        "warning: 1 file left out: 'a.txt' (its encoding is uncertain); --encoding NAME settles it\n";
    sandbox.ctx(["render", "--only", "*.txt"]).stdout(block("[b.txt]\nb\n")).stderr(skipped).check();
    sandbox.ctx(["render", "--only", "--strict", "*.txt"]).code(3).stderr_has("is uncertain").check();
    let asked = sandbox.ctx(["ask", "where is b?"]);
    let told = "note: 1 file of uncertain encoding not looked through: 'a.txt'; --encoding NAME settles it\n";
    asked.stdout_has("[b.txt]").stderr_has(told).check();
    let settled = block("[a.txt]\nИмя\n\n[b.txt]\nb\n");
    sandbox.ctx(["render", "--only", "--encoding", "koi8-r", "*.txt"]).stdout(settled).check();
}

#[test]
fn an_entry_can_say_how_its_files_are_encoded() {
    let sandbox = Sandbox::with(&[("new.txt", "Größe\n")]);
    sandbox.write("old.txt", encoded("KOI8-R", "Имя\n"));
    sandbox.ctx(["add", "-q", "--encoding", "koi8-r", "*.txt"]).check();
    let expected = block("[new.txt]\nGröße\n\n[old.txt]\nИмя\n");
    sandbox.ctx(["render"]).stdout(&expected).check();
    sandbox.ctx(["render", "--encoding", "latin1"]).stdout(&expected).check();
    sandbox.ctx(["show"]).stdout_has("encoding KOI8-R").check();
    assert_eq!(sandbox.stored_entries()[0]["encoding"], "KOI8-R");
    sandbox.ctx(["set", "--encoding", "windows-1251", "*.txt"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout_has("[old.txt]\n").stdout_lacks("Имя").check();
    sandbox.ctx(["set", "--unset", "encoding", "*.txt"]).stderr_any().check();
    sandbox.ctx(["render"]).stdout(block("[new.txt]\nGröße\n")).stderr_has("'old.txt' (its encoding").check();
    let unknown = sandbox.ctx(["render", "--encoding", "klingon", "new.txt"]).code(2);
    unknown.stderr_has("use the name of an encoding, such as GBK").check();
}

#[test]
fn a_pipe_and_a_command_are_decoded_as_they_look_or_as_is_said() {
    let (encoding, text, _) = PROSE[2];
    let sandbox = Sandbox::new();
    sandbox.write("a", encoded(encoding, text));
    let piped = sandbox.ctx(["render", "--only", "-"]).stdin(encoded(encoding, text)).stdout_has(text);
    piped.stderr_has("read as Shift_JIS: 'stdin'").check();
    sandbox.ctx(["render", "--only", "cmd:cat a"]).stdout_has(text).stderr_has("read as Shift_JIS").check();
    let said = ["render", "--only", "--encoding", "gbk", "-"];
    sandbox.ctx(said).stdin(encoded("GBK", "处理\n")).stdout_has("处理\n").check();
}

#[test]
fn utf_16_without_a_mark_is_recognised() {
    let sandbox = Sandbox::new();
    for (name, of) in [("le.txt", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("be.txt", u16::to_be_bytes)] {
        let bytes: Vec<u8> = "Get-Process 世界\r\n".encode_utf16().flat_map(of).collect();
        sandbox.write(name, bytes);
    }
    sandbox
        .ctx(["render", "--only", "*.txt"])
        .stdout_has("[be.txt]\nGet-Process 世界\r\n\n[le.txt]\nGet-Process 世界\r\n")
        .stderr("note: 2 files not read as UTF-8: 'be.txt' as UTF-16BE, 'le.txt' as UTF-16LE\n")
        .check();
}

#[test]
fn utf_16_without_a_mark_is_recognised_in_every_script() {
    let sandbox = Sandbox::with(&[("一.md", "listed\n")]);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let texts = [
        ("a.csv", "名前,年齢\n太一,20\n"),
        ("b.txt", "hello 一 world\nmore text here\n"),
        ("c.txt", "\u{3000}\u{3000}第一章\n天上有一条河。\n"),
        ("d.txt", "Привет, мир\nкак дела\n"),
    ];
    for (name, text) in texts {
        sandbox.write(name, wide(text));
    }
    let all = texts.map(|(name, text)| format!("[{name}]\n{text}")).join("\n");
    sandbox.ctx(["render", "--only", "?.*"]).stdout_has(&all).stderr_has("read as UTF-16LE: 'a.csv'").check();
    sandbox.write("list", wide("一.md\n"));
    sandbox.ctx(["render", "--files-from", "list"]).stdout(block("[一.md]\nlisted\n")).check();
}

#[test]
fn what_is_said_to_be_utf_16_is_read_as_it() {
    let sandbox = Sandbox::new();
    let few = "名前,年齢 太一".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    sandbox.write("few.txt", few);
    sandbox.ctx(["render", "few.txt"]).code(1).stderr_has("binary file").check();
    let said = sandbox.ctx(["render", "--encoding", "UTF-16LE", "few.txt"]);
    said.stdout_has("名前,年齢 太一").stderr_any().check();
}

#[test]
fn few_words_of_which_the_encoding_is_unsure_are_left_out_of_patterns() {
    let sandbox = Sandbox::with(&[("a.txt", "plain\n")]);
    sandbox.write("baltic.txt", encoded("Windows-1257", "latviešu valoda\n"));
    sandbox.write("dos.txt", b"Gr\x94\xe1e\n");
    let left_out = sandbox.ctx(["render", "*.txt"]).stdout(block("[a.txt]\nplain\n"));
    left_out.stderr_has("warning: 2 files left out: 'baltic.txt' (its encoding").check();
    sandbox.ctx(["render", "--strict", "*.txt"]).code(3).stderr_any().check();
    sandbox
        .ctx(["render", "--encoding", "cp850", "dos.txt"])
        .stdout(block("[dos.txt]\nGröße\n"))
        .stderr_any()
        .check();
}

#[test]
fn utf_8_of_java_is_decoded() {
    let sandbox = Sandbox::new();
    sandbox.write("java.txt", b"smile \xed\xa0\xbd\xed\xb8\x80 caf\xc3\xa9\n");
    let rendered = sandbox.ctx(["render", "java.txt"]).stdout(block("[java.txt]\nsmile 😀 café\n"));
    rendered.stderr_has("read as CESU-8: 'java.txt'").check();
}
