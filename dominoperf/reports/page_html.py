"""What our pages need beyond Sphinx: formulas without a script, and sections that the contents know.

Only Sphinx loads this module, as an extension.
"""

import html
import re

from docutils import nodes

_SECTION = re.compile(r'<section id="([^"]+)"><h3>(.*?)</h3>(.*?)</section>', re.DOTALL)


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(formula_as_mathml, None), block_renderers=(formula_as_mathml, None)
    )
    app.connect("doctree-read", divide_into_sections, priority=100)  # before the contents of a page are collected
    app.connect("html-page-context", _column_scopes)
    app.connect("missing-reference", resolve_docstring_name)
    app.connect("builder-inited", _without_index)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _without_index(app):
    """Have Sphinx make no index of the search: the site has its own."""
    app.builder.search = False


def divide_into_sections(app, doctree):
    """Make sections of the page out of those that an output holds as HTML: the tables of a document."""
    for raw in list(doctree.findall(nodes.raw)):
        sections = _SECTION.findall(raw.astext()) if raw.get("format") == "html" else []
        if not sections:
            continue
        cell = raw
        while not isinstance(cell.parent, nodes.section):
            cell = cell.parent
        made = []
        for id, title, body in sections:
            text, inner = html.unescape(title), nodes.raw("", body, format="html")
            made.append(nodes.section("", nodes.title(text, text), inner, ids=[html.unescape(id)]))
        cell.parent.insert(cell.parent.index(cell) + 1, made)
        raw.replace_self(nodes.raw("", raw.astext().partition("<section")[0], format="html"))


def formula_as_mathml(writer, node):
    """Write a formula as MathML."""
    from latex2mathml.converter import convert

    block = isinstance(node, nodes.math_block)
    made = convert(node.astext(), display="block" if block else "inline")
    writer.body.append(f'<div class="math">{made}</div>' if block else made)
    raise nodes.SkipNode


def _column_scopes(app, name, template, context, doctree):
    """Tell a screen reader that the headings of a table written in Markdown are those of its columns."""
    if "body" in context:
        context["body"] = context["body"].replace('<th class="head', '<th scope="col" class="head')


def resolve_docstring_name(app, env, node, shown):
    """Return the link from a name in a docstring to the one object of ours that has it, in whichever room."""
    from sphinx.util.nodes import make_refnode

    objects = env.get_domain("py").objects if node.get("refdomain") == "py" else {}
    names = [name for name in objects if name.endswith(f".{node['reftarget']}")]
    if len(names) != 1:
        return None
    place = objects[names[0]]
    return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, shown, names[0])
