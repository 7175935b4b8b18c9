#!/usr/bin/env python3
"""names_test.py SOURCE_DIR: comments and pages name only files and functions that exist.

The test reads the comments of C++ files, and words between backquotes in pages. In them
  * the path of a source, page or configuration is that of a file: from the source folder or from the
    folder of the file that names it; a name without a folder may be in any folder;
  * a function, `name()`, and a name with a scope, `Type::member`, occur in the code.
Prints every name that is not found; exit code 1 if there is one.
"""
import pathlib
import re
import sys

# Paths of sources and pages are checked. Paths of input files are checked only if they begin with configs/ or
# tests/, since examples and messages name other input files freely.
PATH = re.compile(r"(?<![\w./*<-])((?:\.\./)*[A-Za-z_][\w.-]*(?:/[\w.-]+)*\.(?:h|cpp|md|sh|py)|"
                  r"(?:configs|tests)/[\w./-]+\.(?:json|tarch|stripe|csv))(?!\.?\w|[*/])")
CALL = re.compile(r"(?<![\w.:~>-])([a-z_]\w*_\w+)\(\)")
SCOPED = re.compile(r"(?<![\w:])((?:[A-Za-z_]\w*::)+~?[A-Za-z_]\w*)")
WORD = re.compile(r"[A-Za-z_]\w*")
# Scopes of other projects.
FOREIGN = {"std", "sc_core", "sc_dt", "tlm", "tlm_utils", "nlohmann", "fmt", "flatbuffers", "boost",
           "google", "testing", "fs", "pybind11", "py", "mu", "flexbuffers"}
# Files of other projects.
OTHERS = {"brw_eu_inst.h", "dais.md"}
# A part of a path in capitals stands for any name.
ANY = re.compile(r"(^|/)[A-Z]+[./]")


def split(text):
    """Returns the code of a C++ file without comments, and the comments with their lines."""
    code, comments = [], []
    for number, line in enumerate(text.split("\n"), 1):
        match = re.search(r"(?<![:\"'])//+<?( .*|$)", line)
        quotes = line[:match.start()].count('"') if match else 0
        if match and quotes % 2 == 0:
            comments.append((number, match[1] or ""))
            line = line[:match.start()]
        code.append(line)
    return "\n".join(code), comments


def main(source):
    root = pathlib.Path(source)
    files = [p for folder in ("configs", "firmware", "isa", "models", "tests", ".ci", ".github")
             for p in (root / folder).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    files += [p for p in root.iterdir() if p.is_file()]
    base_names = {p.name for p in files}
    words, texts = set(), []
    for path in files:
        if path.suffix in (".h", ".cpp"):
            code, comments = split(path.read_text(encoding="utf-8"))
            words.update(WORD.findall(code))
            texts.append((path, comments))
        elif path.suffix in (".py", ".txt", ".sh", ".fbs", ".proto", ".in"):
            words.update(WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
        elif path.suffix == ".md":
            lines, block = [], False
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                if line.startswith("```"):
                    block = not block
                elif not block:
                    lines.append((number, " ; ".join(re.findall(r"`([^`]+)`", line))))
            texts.append((path, lines))

    def is_file(path, name):
        if name in OTHERS or ANY.search(name):
            return True
        if "/" not in name:
            return name in base_names
        return any((folder / name).exists() for folder in (root, path.parent))

    bad = 0
    for path, lines in texts:
        for number, text in lines:
            missing = [f"no such file: {name}" for name in PATH.findall(text) if not is_file(path, name)]
            missing += [f"no such function: {name}()" for name in CALL.findall(text) if name not in words]
            for name in SCOPED.findall(text):
                parts = name.replace("~", "").split("::")
                if parts[0] not in FOREIGN and any(part not in words for part in parts):
                    missing.append(f"no such name: {name}")
            for what in missing:
                print(f"{path.relative_to(root)}:{number}: {what}")
                bad += 1
    return 1 if bad else 0


sys.exit(main(sys.argv[1]))
