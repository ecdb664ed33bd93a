"""Configuration of the documentation site, which `make docs` builds."""

import sys
from pathlib import Path

import numpy_plugin

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS / "_extensions"))

project = "numpy_plugin"
author = "the numpy_plugin developers"
copyright = f"2026, {author}"
version = release = numpy_plugin.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "sphinx_reredirects",
    "numpy_plugin.sphinx_extension",
    "code_references",
    "plain_attributes",
    "repository_pages",
    "source_tables",
]

# --- pages ---

source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_*"]
templates_path = ["_templates"]
default_role = "code"
nitpicky = True
# Types of the C++ core that have no page.
nitpick_ignore_regex = [("py:class", r"numpy_plugin\._.*")]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

# Paths of pages that have moved into a section.
MOVED = {
    "explanation": "floating_point glossary",
    "guide": "cache composition cuda cuda_compilation declaring device_arrays device_calls"
    " ecosystem errors kernel_language linking notebooks python_kernels random records reductions"
    " scaling simulator threads",
    "how_to": "benchmarking migrating shipping",
    "project": "development",
    "reference": "configuration function_accuracy portability",
}
redirects = {page: f"{place}/{page}.html" for place in MOVED for page in MOVED[place].split()}

# --- docstrings ---

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

# The full inventory where there is a network; otherwise the names that the documents use.
intersphinx_timeout = 5
intersphinx_mapping = {
    "python": ("https://docs.python.org/3", (None, "_inventories/python.txt")),
    "numpy": ("https://numpy.org/doc/stable", (None, "_inventories/numpy.txt")),
}

# --- gallery ---

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "write_computation_times": False,
}

# --- HTML ---

html_theme = "pydata_sphinx_theme"
html_title = "numpy_plugin"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "navigation_with_keys": False,
    "show_toc_level": 2,
    # Without a sidebar where a table needs the width.
    "secondary_sidebar_items": {"**": ["page-toc"], "explanation/comparison": []},
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
