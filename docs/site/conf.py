"""How Sphinx makes the site; `tools/docs_site.py` lays out its pages and runs it.

The colours are the control center's own (`web-ui/src/tokens.css`, read as it is). Nothing is loaded from elsewhere.
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
LANGUAGES = {"pt-br": "pt-BR"}

project = "Riacho"
author = "the Riacho project"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
language = "en"
extensions = ["myst_parser"]
root_doc = "index"

# `#a-heading` in a link, as repository browsers have it.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "text"
pygments_style = "code_colours.Light"
pygments_dark_style = "code_colours.Dark"

html_theme = "furo"
html_title = f"Riacho {release}"
html_short_title = "Riacho"
html_logo = html_favicon = str(ROOT / "web-ui" / "public" / "mark.svg")
html_static_path = [str(HERE / "static")]
html_css_files = ["tokens.css", "riacho.css"]
templates_path = [str(HERE / "templates")]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False

_COLOURS = {
    "color-brand-primary": "var(--accent)",
    "color-brand-content": "var(--accent)",
    "color-brand-visited": "var(--accent)",
    "color-foreground-primary": "var(--text)",
    "color-foreground-secondary": "var(--text-soft)",
    "color-foreground-muted": "var(--text-soft)",
    "color-foreground-border": "var(--line-strong)",
    "color-background-primary": "var(--surface)",
    "color-background-secondary": "var(--ground)",
    "color-background-hover": "var(--hover)",
    "color-background-border": "var(--line)",
    "color-background-item": "var(--line)",
    "color-inline-code-background": "var(--ground)",
    "color-code-background": "var(--ground)",
    "color-code-foreground": "var(--text)",
    "color-highlighted-background": "var(--accent-wash)",
    "color-sidebar-link-text--top-level": "var(--text)",
    "color-sidebar-item-background--current": "var(--selected)",
    "color-sidebar-item-background--hover": "var(--hover)",
    "font-stack": "var(--font)",
    "font-stack--headings": "var(--font)",
    "font-stack--monospace": "var(--mono)",
}
html_theme_options = {"light_css_variables": _COLOURS, "dark_css_variables": _COLOURS}


def _tell_language(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    context["language"] = LANGUAGES.get(page, language)


def _copy_tokens(app: Any, error: Exception | None) -> None:
    if error is None:
        shutil.copyfile(ROOT / "web-ui" / "src" / "tokens.css", Path(app.outdir) / "_static" / "tokens.css")


def setup(app: Any) -> dict[str, bool]:
    app.connect("html-page-context", _tell_language)
    app.connect("build-finished", _copy_tokens)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
