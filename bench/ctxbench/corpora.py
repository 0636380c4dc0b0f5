"""The corpora: real source text from pinned packages, the same on every machine."""

import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
BUILT_IN_IGNORE = BENCH.parent / "crates/ctx-core/src/select/built_in_ignore"
LARGEST_FILE = 10_000_000
LARGEST_MEAN = 25_000
MODIFIED = 1_700_000_000
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+@=-/")
GENERATED = ("windows", "winapi", "aws-lc-sys")
REPEATED = ("license", "licence", "copying", "unlicense", "cargo.lock", "cargo.toml.orig")
SECRET_PARTS = ("credential", "secret", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "password", "htpasswd")
SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".gpg", ".asc", ".ppk", ".env",
               ".tfstate", ".tfvars", ".ovpn", ".der", ".crt", ".cer")
WEB_IGNORE = """\
# dependencies
node_modules/
/.pnp
.pnp.*

# build output
/dist/
build/
!packages/*/build.rs
*.tsbuildinfo
coverage/

# logs and local files
logs
*.log
npm-debug.log*
.DS_Store
*.local
"""


@dataclass(frozen=True)
class Size:
    """The limits up to which a corpus is filled."""

    files: int
    bytes: int


@dataclass(frozen=True)
class Corpus:
    """A corpus that has been built: `path` is `parent/name`."""

    name: str
    path: Path
    files: int
    bytes: int


SIZES = {
    "S": Size(200, 3_000_000),
    "M": Size(3_000, 30_000_000),
    "L": Size(30_000, 300_000_000),
}
NAMES = (*SIZES, "W")


@dataclass(frozen=True)
class Package:
    """The eligible files of one package, relative to it."""

    path: Path
    files: tuple
    bytes: int


def build(root, names, say):
    """Builds the named corpora below `root` unless they are already there; returns them by name."""
    home = root / "corpora"
    stamp = _stamp()
    missing = [name for name in names if not _stands(home, name, stamp)]
    if missing:
        say(f"building corpora {' '.join(missing)} (once)")
        packages = _packages(say)
        for name in missing:
            _clear(home, name)
            if name == "W":
                _web(home / name, _choose(packages, SIZES["S"]))
            else:
                _copy(home / name, _choose(packages, SIZES[name]))
            subprocess.run(["git", "init", "--quiet", str(home / name)], check=True)
            (home / f"{name}.stamp").write_text(stamp)
    return {name: _measure(home, name) for name in names}


def _stamp():
    digest = hashlib.sha256()
    parts = [BENCH / part for part in ("corpus/Cargo.lock", "web/package-lock.json", "ctxbench/corpora.py")]
    for part in (*parts, BUILT_IN_IGNORE):
        digest.update(part.read_bytes())
    return digest.hexdigest()


def _stands(home, name, stamp):
    mark = home / f"{name}.stamp"
    return mark.is_file() and mark.read_text() == stamp


def _clear(home, name):
    (home / f"{name}.stamp").unlink(missing_ok=True)
    shutil.rmtree(home / name, ignore_errors=True)


def _packages(say):
    """Every package with its eligible files, in an order that doesn't depend on names."""
    found = []
    for path in sorted(_sources(say), key=lambda p: hashlib.sha256(p.name.encode()).digest()):
        if path.name.startswith(GENERATED):
            continue
        files = tuple(sorted(_eligible(path)))
        size = sum(os.path.getsize(path / file) for file in files)
        if files and size / len(files) <= LARGEST_MEAN:
            found.append(Package(path, files, size))
    return found


def _sources(say):
    """The packages in the lock file, as published: with their ignore rules, unlike `cargo vendor`."""
    say("fetching the sources that the lock file names")
    metadata = subprocess.run(
        ["cargo", "metadata", "--quiet", "--locked", "--format-version", "1",
         "--manifest-path", str(BENCH / "corpus/Cargo.toml")],
        check=True, capture_output=True, text=True,
    )
    packages = json.loads(metadata.stdout)["packages"]
    return [Path(package["manifest_path"]).parent for package in packages if package["source"]]


def _built_in_ignore():
    """Patterns of names that ctx leaves out regardless of ignore files, unlike the other tools."""
    lines = BUILT_IN_IGNORE.read_text().splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def _eligible(package):
    ignored = _built_in_ignore()
    for directory, below, names in os.walk(package):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in names:
            path = os.path.join(directory, name)
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in ignored):
                continue
            if _named_plainly(os.path.relpath(path, package)) and _is_text(path):
                yield os.path.relpath(path, package)


def _named_plainly(relative):
    """Whether every tool reads a file of this name: not a dot file, not a secret, nothing that xargs splits."""
    lower = relative.lower()
    name = os.path.basename(lower)
    return (
        PLAIN.issuperset(relative)
        and not name.startswith((".", "-", *REPEATED))
        and not name.endswith(SECRET_ENDS)
        and not any(part in lower for part in SECRET_PARTS)
    )


def _is_text(path):
    if os.path.islink(path) or os.path.getsize(path) > LARGEST_FILE:
        return False
    data = Path(path).read_bytes()
    if b"\0" in data or data.startswith(b"\xef\xbb\xbf"):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _choose(packages, size):
    """Whole packages, in order, as long as they fit and keep the mean file size near the target."""
    least_mean = 0.97 * size.bytes / size.files
    files = total = 0
    chosen = []
    for package in packages:
        more, larger = files + len(package.files), total + package.bytes
        if more <= size.files and larger <= size.bytes and larger / more >= least_mean:
            chosen.append(package)
            files, total = more, larger
    return chosen


def _copy(target, packages):
    for package in packages:
        rules = [path.relative_to(package.path) for path in package.path.rglob(".gitignore")]
        for file in [*package.files, *rules]:
            copy = target / package.path.name / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(package.path / file, copy)
            os.utime(copy, (MODIFIED, MODIFIED))


def _web(target, packages):
    """A repository with ignore rules, a build directory and a `node_modules` that they ignore."""
    _copy(target / "packages", packages)
    _copy(target / "dist", packages)
    (target / ".gitignore").write_text(WEB_IGNORE)
    (target / "packages" / ".gitignore").write_text("*.bak\n/*/out/\n!/*/out/keep.txt\n")
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(BENCH / "web" / name, target / name)
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--prefix", str(target)],
        check=True, stdout=subprocess.DEVNULL,
    )
    (target / "package-lock.json").unlink()


def _measure(home, name):
    path = home / name
    listed = subprocess.run(
        ["git", "-C", str(path), "ls-files", "--others", "--exclude-standard", "-z"], check=True, capture_output=True,
    )
    named = listed.stdout.decode().split("\0")
    visible = [file for file in named if file and not os.path.basename(file).startswith(".")]
    return Corpus(name, path, len(visible), sum(os.path.getsize(path / file) for file in visible))
