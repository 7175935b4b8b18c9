#!/usr/bin/env python3
"""sizes_test.py SOURCE_DIR: no function of the program is longer than 80 lines, no class has more than 60 functions.

Lines are those from a function's head to its last brace, comments and blanks included; functions of a class are those
that it declares itself, in any section. Sources and headers of isa, models and firmware and those that tests share
are read. Prints what is too large; exit code 1 if there is anything.
"""
import pathlib
import re
import sys

MOST_LINES, MOST_FUNCTIONS = 80, 60
FOLDERS = ("isa", "models", "firmware", "tests/support")

TOKEN = re.compile(r'R"([^(\s]*)\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'|'
                   r"//[^\n]*|/\*(?s:.*?)\*/|^[ \t]*#(?:[^\n\\]|\\(?s:.))*", re.M)
TYPE = re.compile(r"(?:^|[\s>])(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*)?((?:\w+::)*\w*)[^()=]*$")
# A function's head ends with its parameters and what may follow them, or with the list of a constructor.
NAME = r"(operator ?(?:\(\)|[^\s\w(]+|[\w:]+)|[\w:~]+(?:<[^()]*>)?) ?\("
FUNCTION = re.compile(NAME + r".*(?:\) ?(?:const|noexcept|override|final|&| |->[^(){}]*)*|\) ?(?:noexcept )?: .*\})$")
INITIALISERS = re.compile(r"\) ?(?:noexcept )?: ")


def is_declaration(head):
    """True if a class declares a function by it, not a value or a type."""
    name = re.search(NAME, head)
    if not name or re.match(r"using\b|typedef\b|friend\b|static_assert\b", head):
        return False
    before = head[:name.start()]
    return "=" not in before and before.count("<") == before.count(">")


def code_of(text):
    """Returns the text without comments, directives and strings, with the same lines."""
    return TOKEN.sub(lambda m: ('""' if m[0][0] in "R\"'" else "") + "\n" * m[0].count("\n"), text)


def sizes(text):
    """Yields (kind, name, size) of each function with a body and of each class with a name."""
    code = code_of(text)
    scopes = []  # [kind, name, first line or number of functions, depth of parentheses around it]
    start = parentheses = 0
    for mark in re.finditer(r"[{};()]", code):
        head = " ".join(code[start:mark.start()].split())
        head = re.sub(r"^(?:(?:public|protected|private) ?: ?)+", "", head)
        in_code = any(scope[0] not in ("namespace", "class") for scope in scopes)
        if mark[0] in "()":
            parentheses += 1 if mark[0] == "(" else -1
        elif mark[0] == "{":
            # Braces in a function's parameters or in a constructor's list do not end the head.
            inside = parentheses > 0 or (INITIALISERS.search(head) and re.search(r"[\w>]$", head))
            kind, name, value = "block", "", 0
            if not inside and not in_code:
                function = FUNCTION.search(head)
                if re.search(r"\bnamespace\b[\s\w:]*$", head):
                    kind = "namespace"
                elif function and not re.search(r"=[^=()]*\[", head) and not head.endswith("="):
                    kind, name = "function", function[1]
                    first = start + len(code[start:mark.start()]) - len(code[start:mark.start()].lstrip())
                    value = code.count("\n", 0, first)
                    if scopes and scopes[-1][0] == "class":
                        scopes[-1][2] += 1
                elif TYPE.search(head):
                    kind, name = "class", TYPE.search(head)[1]
            scopes.append([kind, name, value, parentheses])
            parentheses = 0
            if not inside:
                start = mark.end()
        elif mark[0] == "}" and scopes:
            kind, name, value, parentheses = scopes.pop()
            if kind == "function":
                yield kind, name, code.count("\n", 0, mark.start()) - value + 1
            elif kind == "class" and name:
                yield kind, name, value
            if kind in ("function", "namespace", "class") or (not parentheses and not INITIALISERS.search(head)):
                start = mark.end()
        elif mark[0] == ";" and parentheses == 0:
            if scopes and scopes[-1][0] == "class" and is_declaration(head):
                scopes[-1][2] += 1
            start = mark.end()


def main(root):
    bad = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for kind, name, size in sizes(path.read_text(encoding="utf-8")):
                most = MOST_LINES if kind == "function" else MOST_FUNCTIONS
                unit = "lines" if kind == "function" else "functions"
                if size > most:
                    bad.append(f"{path.relative_to(root)}: {name} has {size} {unit}; allowed {most}")
    print("\n".join(bad), end="\n" if bad else "")
    return 1 if bad else 0


sys.exit(main(pathlib.Path(sys.argv[1])))
