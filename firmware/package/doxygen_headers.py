#!/usr/bin/env python3
"""doxygen_headers.py FOLDER FILE...: copies headers into FOLDER in the form that Doxygen reads.

Comments of this project are plain text with names in backquotes. In the copies, characters that
Doxygen would take for commands or markup are escaped, except between backquotes, and the comment at
the top of a header becomes the documentation of that file.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(.*?)(///<?)( .*|)$")
SPECIAL = re.compile(r"([\\@<>#%&$*_~])")


def escaped(text, quoted):
    """The text with special characters escaped; `quoted` tells if it begins between backquotes."""
    parts = text.split("`")
    for i, part in enumerate(parts):
        if (i % 2 == 1) == quoted:
            parts[i] = SPECIAL.sub(r"\\\1", part)
    return "`".join(parts), quoted != (len(parts) % 2 == 0)


def converted(lines):
    """The lines of a header, as Doxygen is to read them."""
    top = 0
    while top < len(lines) and lines[top].startswith("//"):
        lines[top] = "/" + lines[top]
        top += 1
    if top:
        yield "/// \\file"
    quoted = False
    for line in lines:
        match = COMMENT.match(line)
        if match is None or match[1].count('"') % 2:
            quoted = False
            yield line
            continue
        text, quoted = escaped(match[3], quoted and not match[1].strip())
        yield match[1] + match[2] + text


def main(folder, *names):
    for name in names:
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = pathlib.Path(name).read_text(encoding="utf-8")
        path.write_text("\n".join(converted(text.split("\n"))), encoding="utf-8")


main(*sys.argv[1:])
