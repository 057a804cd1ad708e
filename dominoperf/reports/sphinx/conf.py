"""How Sphinx builds the site; the pages and the list of them come from `dominoperf.reports.site`."""

import dominoperf

project = "dominoperf"
author = "The dominoperf authors"
version = release = dominoperf.__version__
language = "en"

extensions = ["myst_nb", "dominoperf.reports.page_html"]
source_suffix = {".ipynb": "myst-nb"}  # the only one: a folder of data may be called notes.md
nb_execution_mode = "off"  # the notebooks have been executed
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False  # as little as possible is taken for a formula: prices carry dollar signs
myst_dmath_allow_digits = False
default_role = "py:obj"  # a name in a docstring is a link where it is one of ours
add_module_names = False
toc_object_entries_show_parents = "hide"
smartquotes = False  # a printed quote stays as it is

html_theme = "pydata_sphinx_theme"
html_title = "dominoperf"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css", "handbook.css"]
html_js_files = ["sort.js", "columns.js", "claims.js", "regions.js", "print.js", "uses.js", "folded.js", "pictures.js"]
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_additional_pages = {"search": "search.html"}  # ours, over an index of ours
html_sidebars = {"**": ["pages.html", "contents_narrow.html"]}
html_theme_options = {
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "article_header_start": [],
    "article_header_end": ["code.html"],
    "secondary_sidebar_items": {"**": ["contents.html"], "index": []},  # the first page is short and wants the room
    "show_toc_level": 3,  # every table of a document is in the contents
    "primary_sidebar_end": [],
    "footer_start": ["foot.html"],
    "footer_end": [],
    "back_to_top_button": False,
    "search_bar_text": "Search tables and pages",
}
