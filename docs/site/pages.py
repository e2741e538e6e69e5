# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the tree, and where each is on the site."""

import os
import pathlib
import re
import shutil

# The link of a picture or of a page: [text](target), but not in code.
LINK = re.compile(r"(!?)\[((?:[^\[\]]|`[^`]*`)*)\]\(([^()\s]+)\)")
PICTURES = (".svg", ".png", ".jpg")


def page_names(root):
    """Yields (path in the tree, path on the site)."""
    for path in sorted((root / "docs").rglob("*.md")):
        name = path.relative_to(root / "docs")
        if name.parts[0] != "site":
            yield path, name
    yield root / "docs/site/index.md", pathlib.Path("index.md")
    yield root / "CONTRIBUTING.md", pathlib.Path("contributing.md")
    yield root / "bench/README.md", pathlib.Path("bench.md")
    yield root / "pipelines/video/README.md", pathlib.Path("video-pipelines.md")


class Site:
    def __init__(self, root, staged):
        self.root, self.staged = root, staged
        self.names = {path.resolve(): name for path, name in page_names(root)}

    def add(self, name, text):
        path = self.staged / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy_pages(self):
        for path, name in page_names(self.root):
            self.add(name, self.turn_links(path, name))
        news = (self.root / "NEWS").read_text()
        self.add("news.md", f"# News\n\n```text\n{news}```\n")

    def turn_links(self, path, name):
        """Returns the text of @path with links for its place on the site."""
        lines, fence = [], False
        for line in path.read_text().splitlines(keepends=True):
            fence ^= line.startswith("```")
            if not fence and not line.startswith("    "):
                line = LINK.sub(lambda m: self.turn(path, name, m), line)
            lines.append(line)
        return "".join(lines)

    def turn(self, path, name, match):
        mark, text, link = match.groups()
        if "://" in link or link.startswith("#"):
            return match[0]
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve()
        where = self.place(target)
        if where is None and target.exists():
            # A file of the source tree: its name there.
            shown = target.relative_to(self.root.resolve())
            return f"`{shown}`" if text.strip("`") in (str(shown), file) \
                else f"{text} (`{shown}`)"
        if where is None:
            raise SystemExit(f"{path}: {link} leads nowhere")
        there = os.path.relpath(where, pathlib.Path(name).parent)
        return f"{mark}[{text}]({there}{'#' + anchor if anchor else ''})"

    def place(self, target):
        """Returns where @target is on the site; None: it is not on the site."""
        if target in self.names:
            return self.names[target]
        include = self.root.resolve() / "include"
        if target.suffix == ".h" and include in target.parents:
            inside = target.relative_to(include)
            return pathlib.Path("c") / f"{'-'.join(inside.parts)[:-2]}.md"
        if target.suffix in PICTURES and target.exists():
            name = pathlib.Path("pictures") / target.name
            (self.staged / "pictures").mkdir(exist_ok=True)
            shutil.copy(target, self.staged / name)
            return name
        return None
