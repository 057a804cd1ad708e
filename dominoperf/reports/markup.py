"""What our pages need beyond Sphinx: formulas without a script, and sections that the contents and the search know.

The index of the search has a word's stem from the first page that has the word: Sphinx would ask for it on each.

Only Sphinx loads this module, as an extension.
"""

import functools
import html
import re

from docutils import nodes
from sphinx.search.en import SearchEnglish

_SECTION = re.compile(r'<section id="([^"]+)"><h3>(.*?)</h3>(.*?)</section>', re.DOTALL)


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.connect("doctree-read", divide, priority=100)  # before the contents of a page are collected
    app.connect("html-page-context", _scope)
    app.connect("missing-reference", _named)
    app.add_search_language(_Search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _Search(SearchEnglish):
    """Sphinx's own for English, with the stems it has found."""

    def __init__(self, options):
        super().__init__(options)
        self.stem = functools.cache(super().stem)


def divide(app, doctree):
    """Make sections of the page out of those that an output holds as HTML: the tables of a document."""
    for raw in list(doctree.findall(nodes.raw)):
        found = _SECTION.findall(raw.astext()) if raw.get("format") == "html" else []
        if found:
            cell = raw
            while not isinstance(cell.parent, nodes.section):
                cell = cell.parent
            at = cell.parent.index(cell) + 1
            cell.parent.insert(at, [_section(*each) for each in found])
            before = raw.astext().partition("<section")[0]
            raw.replace_self(nodes.raw("", before, format="html"))


def _section(id, title, body):
    text = html.unescape(title)
    return nodes.section("", nodes.title(text, text), nodes.raw("", body, format="html"), ids=[html.unescape(id)])


def _inline(writer, node):
    _formula(writer, node, "inline")


def _block(writer, node):
    writer.body.append('<div class="math">')
    _formula(writer, node, "block")
    writer.body.append("</div>")


def _formula(writer, node, display):
    from latex2mathml.converter import convert

    writer.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode


def _scope(app, name, template, context, doctree):
    """Tell a screen reader that the headings of a table written in Markdown are those of its columns."""
    if "body" in context:
        context["body"] = context["body"].replace('<th class="head', '<th scope="col" class="head')


def _named(app, env, node, shown):
    """Give the link from a name in a docstring to the one object of ours that has it, in whichever room."""
    from sphinx.util.nodes import make_refnode

    if node.get("refdomain") != "py":
        return None
    objects = env.get_domain("py").objects
    found = [name for name in objects if name.endswith(f".{node['reftarget']}")]
    if len(found) != 1:
        return None
    place = objects[found[0]]
    return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, shown, found[0])
