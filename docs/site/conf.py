"""The documentation site: Sphinx reads the pages that docs/site/build puts together."""

import importlib.util
import os

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
