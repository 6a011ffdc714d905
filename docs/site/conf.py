"""The documentation site: Sphinx reads the pages that docs/site/build puts together."""

import importlib.util
import os

from docutils import nodes

project = "Roundabout"
release = version = os.environ.get("ROUNDABOUT_RELEASE", "")
html_title = f"Roundabout {release}".strip()

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # code with "..." in it

html_theme = "furo" if importlib.util.find_spec("furo") else "alabaster"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
highlight_language = "text"


def mark_cells(_app, doctree, _page):
    """Short cells, such as numbers with units, are not broken into lines, and long ones do not become narrow."""
    for cell in doctree.findall(nodes.entry):
        length = len(cell.astext())
        if length <= 28:
            cell["classes"].append("short")
        elif length > 80:
            cell["classes"].append("long")


def setup(app):
    app.connect("doctree-resolved", mark_cells)
