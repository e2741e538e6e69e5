# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reference of the elements: what describe-elements found in the plugin,
and the SECTION block of each element's source."""

import re

SECTION = re.compile(r"/\*\*\n \* SECTION:(?:element|tracer)-(\w+)\n(.*?)\n \*/",
                     re.S)
SIGNAL = re.compile(r"/\*\*\n\s+\* (GstInfer\w+)::([\w-]+):\n(.*?)\n\s+\*/", re.S)
TYPES = {"gchararray": "text", "gboolean": "boolean", "guint": "unsigned integer",
         "gint": "integer", "guint64": "unsigned integer (64 bits)",
         "gint64": "integer (64 bits)", "gdouble": "number", "gfloat": "number",
         "GstFraction": "fraction", "GStrv": "list of texts", "void": "nothing"}


def escape(text):
    return re.sub(r"([*<>\[\]|\\])", r"\\\1", text)


def to_markdown(text, name):
    """Returns the Markdown of a documentation comment's text."""
    lines, out, code = text.splitlines(), [], False
    for line in lines:
        if line.startswith("|["):
            language = re.search(r'language="(\w+)"', line)
            out += ["", "```" + (language[1].lower() if language else "text")]
            code = True
        elif line.startswith("]|"):
            out += ["```", ""]
            code = False
        elif code:
            out.append(line)
        else:
            out.append(links(line, name))
    return "\n".join(out)


def links(line, name):
    line = re.sub(r"#GstInfer\w+::([\w-]+)",
                  r"[`\1`](#\1)", line)
    line = re.sub(r"#GstInfer\w+:([\w-]+)(=[\w-]+)?",
                  lambda m: f"[`{m[1]}`](#{m[1]})"
                            + (f" = `{m[2][1:]}`" if m[2] else ""), line)
    line = re.sub(r"[#%]((?:Gst|NULL|TRUE|FALSE)\w*)", r"`\1`", line)
    line = re.sub(r"`?docs/guides/([\w-]+)\.md`?", r"[\1](../guides/\1.md)", line)
    return line


def read_sections(root):
    """Returns {element: (source, short description, text)} and the texts of
    signals, {(class, signal): text}."""
    sections, signals = {}, {}
    for path in sorted((root / "gst").rglob("*.c")):
        source = path.read_text()
        match = SECTION.search(source)
        if match:
            lines = [re.sub(r"^ \* ?", "", line)
                     for line in match[2].splitlines()]
            short = next(line.split(":", 1)[1].strip() for line in lines
                         if line.startswith("@short_description"))
            body = [line for line in lines if not line.startswith("@")]
            sections[match[1]] = (path.relative_to(root), short,
                                  "\n".join(body).strip("\n"))
        for match in SIGNAL.finditer(source):
            signals[match[1], match[2]] = match[3]
    return sections, signals


def property_block(spec):
    # The type's own name says no more than its values.
    kind = "one of these" if spec["values"] \
        else TYPES.get(spec["type"], f"`{spec['type']}`")
    if spec["values"] and "+" in spec["type"] or spec["type"].endswith("Flags"):
        kind = "any of these, joined by `+`"
    default = spec["default"].replace("\n", "\\n")
    facts = [kind, escape(spec["range"])]
    if spec["access"] != "read":
        facts.append(f"default `{default}`" if default else "default: none")
        facts.append("may be changed in " + spec["when"]
                     if spec["when"] == "any state" else
                     f"may be changed {spec['when']}" if spec["when"] else "")
    else:
        facts.append("read only")
    out = [f"### {spec['name']}", "", escape(spec["blurb"]) + ".", "",
           "*" + "; ".join(fact for fact in facts if fact) + "*", ""]
    out += [f"- `{nick}`: {escape(text)}" for nick, text in spec["values"]]
    return out + [""] if spec["values"] else out


def signal_block(signal, klass, texts):
    text = texts.get((klass, signal["name"]), "")
    lines = [re.sub(r"^\s*\* ?", "", line) for line in text.splitlines()]
    params = [line for line in lines if line.startswith("@")]
    rest = [line for line in lines if not line.startswith("@")]
    out = [f"### {signal['name']}", "",
           f"*{signal['kind']} ({escape(signal['parameters'] or 'no parameters')})"
           f" → {TYPES.get(signal['returns'], signal['returns'])}*", ""]
    out += [re.sub(r"^@(\w+):", r"- `\1`:", line) for line in params]
    return out + ["", links("\n".join(rest).strip(), ""), ""]


def template_block(template):
    caps = template["caps"].replace("; ", ";\n")
    return [f"**{template['name']}** ({template['direction']}, "
            f"{template['presence']})", "", "```text", *wrap(caps), "```", ""]


def wrap(caps):
    """Breaks long caps at their fields."""
    for line in caps.splitlines():
        while len(line) > 100:
            at = line.rfind(", ", 0, 100)
            if at <= 0:
                break
            yield line[:at + 1]
            line = "    " + line[at + 2:]
        yield line


def page(element, section, texts):
    source, short, text = section
    name = element["name"]
    klass = next((k for k, _ in texts if k.lower() == "gst" + name), "")
    out = [f"# {name}", "", short[0].upper() + short[1:] + ".", "",
           to_markdown(text, name), "", "## Pads", ""]
    for template in element["templates"]:
        out += template_block(template)
    out += ["## Properties", ""]
    for spec in sorted(element["properties"], key=lambda s: s["name"]):
        out += property_block(spec)
    if element["signals"]:
        out += ["## Signals", ""]
        for signal in element["signals"]:
            out += signal_block(signal, klass, texts)
    return "\n".join(out)


def pages(root, elements):
    sections, texts = read_sections(root)
    index = ["# Reference of the elements", "",
             "Made of what the elements of this build say of themselves: "
             "`gst-inspect-1.0 NAME` says the same.", ""]
    names = []
    for element in sorted(elements, key=lambda e: e["name"]):
        name = element["name"]
        if name not in sections:
            raise SystemExit(f"{name} has no SECTION block")
        names.append(name)
        index.append(f"- [{name}]({name}.md): {sections[name][1]}")
        yield f"elements/{name}.md", page(element, sections[name], texts)
    for name in sorted(set(sections) - set(names)):
        names.append(name)
        _, short, text = sections[name]
        index.append(f"- [{name}]({name}.md): {short}")
        yield f"elements/{name}.md", "\n".join(
            [f"# {name}", "", short[0].upper() + short[1:] + ".", "",
             to_markdown(text, name), ""])
    index += ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    yield "elements/index.md", "\n".join(index)
