# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C reference: a page for each installed header.

A header's declarations are shown as they are, each behind the comment above it.
"""

import re

LIBRARIES = (
    ("infer", "libinfer-1", "the runtime", "infer-1"),
    ("gst/infer", "libgstinfer-1.0", "metas and results on frames",
     "gstreamer-infer-1.0"),
)
# Lines that say nothing to a reader.
NOISE = re.compile(r"^(#pragma once|#include .*|G_BEGIN_DECLS|G_END_DECLS"
                   r"|G_DEFINE_AUTOPTR_CLEANUP_FUNC ?\(.*\)"
                   r"|G_DEFINE_AUTO_CLEANUP_\w+ ?\(.*\)|/\* SPDX-.*\*/)$")
TITLE = re.compile(r"^\s*([^.:]{3,60})[.:]")


def prose(comment):
    """Returns a C comment as Markdown."""
    text = re.sub(r"^/\*+ ?|\s*\*+/$", "", comment.strip())
    lines = [re.sub(r"^\s*\* ?", "", line) for line in text.splitlines()]
    out, code = [], False
    for number, line in enumerate(lines):
        indented = line.startswith("   ") and not out_is_item(out)
        if indented and not code and (number == 0 or not lines[number - 1]
                                      .strip()):
            out += ["", "```text"]
            code = True
        elif code and not line.startswith("   "):
            out += ["```", ""]
            code = False
        line = re.sub(r"^([a-z]+_[a-z_]+): ", r"- `\1`: ", line)
        out.append(line[1:] if code else escape(line))
    if code:
        out.append("```")
    return "\n".join(out)


def out_is_item(out):
    """Whether the paragraph that @out ends with is an item of a list."""
    for line in reversed(out):
        if not line.strip():
            return False
        if re.match(r"\s*[-*] ", line):
            return True
    return False


def escape(line):
    item = re.match(r"\s*[-*] ", line)
    head = item[0].lstrip() if item else ""
    rest = line[item.end():] if item else (line.strip())
    pieces = re.split(r"(`[^`]*`)", rest)
    for i in range(0, len(pieces), 2):
        piece = re.sub(r"([*<>\[\]|\\])", r"\\\1", pieces[i])
        piece = re.sub(r"(?<!\w)@(\w+)", r"`\1`", piece)
        piece = re.sub(r"(?<![\w`])((?:gst_|infer_)\w+|(?:Gst|Infer)[A-Z]\w+"
                       r"|[A-Z]+_[A-Z_]+[A-Z])(?![\w`])", r"`\1`", piece)
        pieces[i] = piece
    return ("  " if line.startswith(" ") and not item else "") + head \
        + "".join(pieces)


def blocks(text):
    """Yields (comment, declarations): a comment and what stands below it."""
    comment, code, depth = "", [], 0
    lines = iter(text.splitlines())
    for line in lines:
        if NOISE.match(line):
            continue
        if depth == 0 and line.startswith("/*"):
            if comment or code:
                yield comment, code
            comment, code = line, []
            while "*/" not in line:
                line = next(lines)
                comment += "\n" + line
            continue
        if depth == 0 and not line.strip():
            if comment or code:
                yield comment, code
            comment, code = "", []
            continue
        depth += line.count("{") - line.count("}")
        code.append(re.sub(r"\b(GST_)?INFER_API ", "", line))
    if comment or code:
        yield comment, code


def joined(pairs):
    """Joins declarations without a comment to those before them."""
    out = []
    for comment, code in pairs:
        if out and not comment and not (out[-1][0] and not out[-1][1]):
            out[-1][1].extend([""] + code if out[-1][1] else code)
        else:
            out.append((comment, list(code)))
    return out


def page(path, include):
    name = "/".join(path.relative_to(include).parts)
    pairs = joined(blocks(path.read_text()))
    out = [f"# {name}", ""]
    for comment, code in pairs:
        banner = re.match(r"/\* --- (.+) --- \*/$", comment)
        if banner:
            out += [f"## {banner[1][0].upper()}{banner[1][1:]}", ""]
        elif comment:
            out += [prose(comment), ""]
        if code:
            out += ["```c", *code, "```", ""]
    return "\n".join(out)


def summary(path):
    """The first sentence of a header's first comment."""
    for comment, _ in blocks(path.read_text()):
        if comment:
            text = " ".join(prose(comment).split())
            return re.split(r"(?<=\.) |```| - ", text)[0].rstrip(" :")
    return ""


def pages(include):
    index = ["# C reference", "",
             "One page for each installed header: the declarations as they are, "
             "behind what is said of them.", ""]
    for folder, library, what, package in LIBRARIES:
        index += [f"## {library}", "",
                  f"{what.capitalize()}; `pkg-config --cflags --libs {package}`.",
                  ""]
        names = []
        for path in sorted((include / folder).glob("*.h")):
            name = "-".join(path.relative_to(include).parts)[:-2]
            if path.name in ("api.h", "infer.h"):
                continue
            names.append(name)
            index.append(f"- [{folder}/{path.name}]({name}.md): {summary(path)}")
            yield f"c/{name}.md", page(path, include)
        index += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    yield "c/index.md", "\n".join(index)
