#!/usr/bin/env python3
"""one_definition_test.py SOURCE_DIR: every name with linkage between files has one definition.

Two classes of one name in one namespace, in two files, are one class for the linker: it keeps one
destructor for both, and a program that has both files runs the wrong one. The same holds for inline
functions with the same parameters, and for inline variables. The compiler sees one file at a time and says
nothing, so this test reads all headers and sources. Names in anonymous namespaces, in functions and in
classes of the same name are not compared, declarations are no definitions. Files of tests are compared with
the headers and sources of the program and with headers of tests, not with each other: these are programs of
their own. Prints each name with its files; exit code 1 if there is one.
"""
import collections
import pathlib
import re
import sys

TOKEN = re.compile(r'R"([^(\s]*)\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|'
                   r"//[^\n]*|/\*(?s:.*?)\*/|^[ \t]*#(?:[^\n\\]|\\(?s:.))*", re.M)
NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:\[\[[^]]*\]\]\s*)?"
                  r"((?:\w+::)*\w+)(?:\s*<[^;{}]*>)?(?:\s+final)?\s*(?::[^;{}()]*)?$")
FUNCTION = re.compile(r"\b(?:inline|constexpr|template)\b[^;{}=]*?\b((?:\w+::)*(?:operator\s*[^\s\w(]+|\w+))\s*"
                      r"\(([^{};]*)\)\s*(?:const|noexcept|->\s*[^{};]*|\s)*$")
VARIABLE = re.compile(r"\binline\s+[^;{}()=]*?\b(\w+)\s*(?:=|$)")


def code_of(text):
    """Returns the text without comments and directives; strings become empty strings."""
    return TOKEN.sub(lambda m: '""' if m[0][0] in "R\"'" else " ", text)


def definitions(text):
    """Yields (kind, qualified name) of each definition in a namespace or in a type."""
    scopes = []  # the name of a namespace or type; "" for an anonymous namespace; None for other blocks
    start = 0
    code = code_of(text)
    for mark in re.finditer(r"[{};]", code):
        head = " ".join(code[start:mark.start()].split())
        head = re.sub(r"^(?:public|protected|private)\s*:", "", head)
        start = mark.end()
        named = "" not in scopes and None not in scopes
        if mark[0] == "}":
            if scopes:
                scopes.pop()
            continue
        found = None
        if mark[0] == "{":
            scope = NAMESPACE.search(head)
            if scope:
                scopes.append(scope[1])
                continue
            kind = TYPE.search(head)
            function = FUNCTION.search(head)
            if kind and "(" not in head[:kind.start()].replace("alignas(", ""):
                arguments = re.search(r"<[^;{}]*>$", head[kind.start():].split(" : ")[0].strip())
                found = ("type", kind[1] + (arguments[0] if arguments else ""))
            elif function:
                words = [re.sub(r"\s*\b\w+$|\s*=.*$", "", p.strip()) for p in function[2].split(",")]
                found = ("function", f"{function[1]}({', '.join(words)})")
        if found is None:
            variable = VARIABLE.search(head)
            if variable and "(" not in head[:variable.end()]:
                found = ("variable", variable[1])
        if found and named:
            yield found[0], "::".join(s for s in [*scopes, found[1]])
        if mark[0] == "{":
            scopes.append(found[1] if found and found[0] == "type" else None)


def main(source):
    root = pathlib.Path(source)
    places = collections.defaultdict(set)
    for folder in ("isa", "models", "firmware", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp") or "examples" in path.parts:
                continue
            for name in definitions(path.read_text(encoding="utf-8")):
                places[name].add(path.relative_to(root))
    bad = 0
    for (kind, name), paths in sorted(places.items()):
        program = [p for p in paths if p.parts[0] != "tests" or p.suffix == ".h"]
        if len(paths) < 2 or not program:
            continue
        bad += 1
        print(f"{name}: a {kind} in {', '.join(map(str, sorted(paths)))}; rename all but one")
    if not places:
        print(f"{source}: has no sources")
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
