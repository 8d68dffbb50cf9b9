"""Sphinx configuration: sphinx-build -W -b html docs build/docs."""

project = "X2CBBR"
author = "the X2CBBR contributors"
copyright = author

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
smartquotes = False  # sentences quote markup such as '--' literally

html_theme = "furo"
html_title = "X2CBBR"
