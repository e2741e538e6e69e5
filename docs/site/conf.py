# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

project = "inferfilter"
html_title = "inferfilter"
language = "en"
extensions = ["myst_parser"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
highlight_language = "none"
pygments_style = "bw"
pygments_dark_style = "github-dark"
templates_path = ["templates"]
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    # tests/docs/check-site: each text colour on each background.
    "light_css_variables": {
        "color-foreground-primary": "#111111",
        "color-foreground-secondary": "#4d4f57",
        "color-foreground-muted": "#565965",
        "color-brand-primary": "#174ea6",
        "color-brand-content": "#174ea6",
        "color-background-primary": "#ffffff",
        "color-background-secondary": "#f6f7f9",
        "color-inline-code-background": "#f2f3f5",
        "color-code-background": "#f6f7f9",
    },
    "dark_css_variables": {
        "color-foreground-primary": "#e6e6e6",
        "color-foreground-secondary": "#b4b8c0",
        "color-foreground-muted": "#a5a9b2",
        "color-brand-primary": "#8ab4f8",
        "color-brand-content": "#8ab4f8",
        "color-background-primary": "#131416",
        "color-background-secondary": "#1a1c1e",
        "color-inline-code-background": "#22252a",
        "color-code-background": "#1a1c1e",
    },
}
