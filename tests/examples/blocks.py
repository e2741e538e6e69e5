# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The code blocks of the documentation, and what is to be done with each.

A block of a .md file is fenced or indented.  Its lines are commands, unless its
language says otherwise: `text`, `ini`, `json` and none are shown, `c` is
compiled, `python` is run.  A block that cannot run here has a comment above it:

    <!-- not run: REASON -->
"""

import pathlib
import re

COMMAND = re.compile(r"^(\w+=\S+ )*(gst-launch-1\.0|infer-model) ")
MARK = re.compile(r"<!-- not run: (.+) -->$")
SHOWN = ("text", "ini", "json", "", "{toctree}", "xml", "meson")
# Blocks of pages without comments: their first line, and why they do not run.
ELSEWHERE = {
    "digits: recognising": "output, which tests/pipelines/launch-digits compares",
    "InferRuntime *runtime": "part of tests/installed/runtime.c, which is built",
    "include/     the installed": "a list of folders",
}
# Pages whose Python needs the module gstinfer, and the test that runs it.
OWN_TEST = dict.fromkeys(("embedding.md", "scenes.md"),
                         "tests/python/test_guide.py")


class Block:
    def __init__(self, path, number, language, reason):
        self.path, self.number, self.language = path, number, language
        self.reason, self.lines = reason, []

    def commands(self):
        """Yields (number, command); a line that ends with \\ goes on."""
        command, begin = "", 0
        for number, line in enumerate(self.lines, self.number):
            text = line.strip()
            if not text and not command:
                continue
            begin = begin if command else number
            command += text.removesuffix("\\")
            if not text.endswith("\\"):
                yield begin, command
                command = ""
        if command:
            raise SystemExit(f"{self.path}: the last command does not end")


def of_markdown(path):
    """Yields the blocks of a page."""
    block, reason, before = None, None, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fenced = block is not None and block.language != "indented"
        if line.startswith("```"):
            if fenced:
                yield block
                block = None
                continue
            if block is not None:
                yield block
            block = Block(path, number + 1, line[3:].split(" ")[0], reason)
            reason = None
            continue
        if fenced or block is not None and (line.startswith("    ")
                                            or not line.strip()):
            block.lines.append(line)
            continue
        if block is not None:
            yield block
            block = None
        if line.startswith("    ") and not before.strip():
            block = Block(path, number, "indented", reason)
            block.lines.append(line)
        if line.strip():
            mark = MARK.match(line)
            reason = mark[1] if mark else None
        before = line
    if block is not None:
        yield block


def of_source(path):
    """Yields the blocks between |[ and ]| in the comments of a source file."""
    block = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if "|[" in line:
            language = re.search(r'language="(\w+)"', line)
            block = Block(path, number + 1,
                          "part of " + language[1] if language else "sh", None)
        elif "]|" in line and block is not None:
            yield block
            block = None
        elif block is not None:
            block.lines.append(line.lstrip(" *"))


def of_tree(root):
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md")),
             *sorted((root / "pipelines").rglob("*.md"))]
    for path in pages:
        yield from of_markdown(path)
    for path in sorted((root / "gst").rglob("*.c")):
        yield from of_source(path)


def why_not(block):
    """Why a block is not looked at line by line; None: it is."""
    first = next((line.strip() for line in block.lines if line.strip()), "")
    if block.reason is not None:
        return block.reason
    if block.language == "python" and block.path.name in OWN_TEST:
        return OWN_TEST[block.path.name] + " does"
    if block.language in SHOWN:
        return "shown"
    if block.language.startswith("part of"):
        return "a part of a program"
    return next((why for begin, why in ELSEWHERE.items()
                 if first.startswith(begin)), None)


def script_of(command, path, root):
    """The file of the tree that a command names, its source if it is built,
    its manual if it is installed; None: it names none."""
    word = next((w for w in command.split() if "=" not in w), "")
    word = word.removeprefix("./").removeprefix("build/")
    for folder in (root, path.parent):
        for name in (word, word + ".c"):
            file = folder / name
            if word and file.exists() and ("/" in word or folder != root):
                return file
    manual = root / f"tools/man/{word}.1"
    return manual if manual.is_file() else None


def unknown_options(command, script):
    """Options of a synopsis that are not in the script that it names, nor in
    what that includes."""
    files = sorted(script.glob("*.c")) if script.is_dir() else [script]
    text = "".join(file.read_text(errors="replace") for file in files)
    text = text.replace("\\-", "-")  # of a manual
    for name in re.findall(r'[\w/.-]+\.sh', text):
        beside = script.parent / pathlib.Path(name).name
        above = script.parent.parent / pathlib.Path(name).name
        for file in (beside, above):
            if file.is_file():
                text += file.read_text()
    return [o for o in re.findall(r"(?<![\w-])--[a-z-]+", command)
            if o not in text and o[2:] not in text]
