"""What our pages need beyond Sphinx: formulas without a script, sections that the contents know, tables that fit.

Only Sphinx loads this module, as an extension.
"""

import html
import re

from docutils import nodes

from dominoperf.tables import columns

FOLDED = "folded"  # a comment in a section of a page says that the section is shown closed

_SECTION = re.compile(r'<section id="([^"]+)"><h3>(.*?)</h3>(.*?)</section>', re.DOTALL)
_TABLE = re.compile(r"<table\b([^>]*)>(.*?)</table>", re.DOTALL)
_ROW = re.compile(r"(?<=<tr)(\b[^>]*>)(.*?)(?=</tr>)", re.DOTALL)
_CELL = re.compile(r"<(t[dh])\b([^>]*)>(.*?)</\1>", re.DOTALL)
_NAME = re.compile(r'data-name="(\w*)"')
_CODE = re.compile(r'<code class="docutils literal notranslate"><span class="pre">(\w+)</span></code>')
_UNIT = re.compile(r" \([^)]*\)$")
_NOT_WIDE = re.compile(r"<(details|br)\b.*|<[^>]*>", re.DOTALL)  # what is below the words of a cell, and tags
_LEFT = ' style="text-align:left"'  # as JupyterLab needs it, and our style sheet does not
_SIGN_PX, _DESK_PX, _PHONE_PX = 7.2, 840, 358  # width of a sign; room for a table
_WRAPS_PX, _PHONE_WRAPS_PX = 260, 130  # where a column wraps
_LONG, _TOO_LONG = 30, 120  # signs of a cell that may go below its row, and of one that does in any case


def setup(app):
    """Register with Sphinx."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(formula_as_mathml, None), block_renderers=(formula_as_mathml, None)
    )
    app.connect("doctree-read", divide_into_sections, priority=100)  # before the contents of a page are collected
    app.connect("doctree-resolved", fold_sections)  # when the contents of the page have been collected
    app.connect("html-page-context", _with_tables_that_fit)
    app.connect("missing-reference", resolve_docstring_name)
    app.connect("builder-inited", lambda app: setattr(app.builder, "search", False))  # the site has an index of its own
    return {"parallel_read_safe": True, "parallel_write_safe": True}


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


def fold_sections(app, doctree, name):
    """Close each section that has a comment `folded`: a click on its heading opens it, and so does a link to it."""
    for comment in [each for each in doctree.findall(nodes.comment) if each.astext() == FOLDED]:
        section = comment.parent
        section.remove(comment)
        section["classes"].append(FOLDED)
        section.insert(0, nodes.raw("", "<details><summary>", format="html"))
        section.insert(2, nodes.raw("", "</summary>", format="html"))
        section.append(nodes.raw("", "</details>", format="html"))


def formula_as_mathml(writer, node):
    """Write a formula as MathML."""
    from latex2mathml.converter import convert

    block = isinstance(node, nodes.math_block)
    made = convert(node.astext(), display="block" if block else "inline")
    writer.body.append(f'<div class="math">{made}</div>' if block else made)
    raise nodes.SkipNode


def _with_tables_that_fit(app, name, template, context, doctree):
    """Lay out the tables of a page; headings of a table written in Markdown are told to be those of its columns."""
    if "body" in context:
        body = context["body"].replace('<th class="head', '<th scope="col" class="head')
        context["body"] = _TABLE.sub(table_that_fits, columns_by_their_heading(body))


def columns_by_their_heading(page):
    """Return a page whose sentences call a column of its tables what the heading calls it; the name is over it."""
    shown = {name for name in _NAME.findall(page) if name}

    def named(code):
        words = _UNIT.sub("", columns.column_heading(code[1]))
        return f'<em class="column" title="{code[1]}">{words}</em>' if code[1] in shown else code[0]

    return _CODE.sub(named, page)


def table_that_fits(match):
    """Return a table whose longest texts go below their rows where it would be wider than the page.

    A text of many words in a narrow column makes a row tall and otherwise empty. The class `long` marks cells that the
    style sheet sets below their row, `cards` a table whose rows become cards on a phone. Low and high end of an
    interval share a cell, and a computed number below nought has a minus sign.
    """
    about, inside = match.groups()
    rows = [[list(cell) for cell in _CELL.findall(cells)] for _, cells in _ROW.findall(inside)]
    if len(rows) < 2 or len(set(map(len, rows))) > 1 or "colspan" in inside or 'id="claim-' in inside:
        return match[0]
    names = [_NAME.search(look) for _, look, _ in rows[0]]
    names = [name[1] if name else "" for name in names]
    for k in reversed(range(1, len(names))):
        if names[k].endswith("high") and names[k - 1] == names[k].removesuffix("high") + "low":
            for row in rows:
                _, _, high = row.pop(k)
                row[k - 1][2] = _interval(row[k - 1][2], high, head=row is rows[0])
    if 'class="place"' not in inside:  # a transcription keeps the signs of its page
        for cell in [cell for row in rows for cell in row if "number" in cell[1]]:
            cell[2] = re.sub(r"(?<![\w.])-(?=[\d.])", "\N{MINUS SIGN}", cell[2])
    texts = [[html.unescape(_NOT_WIDE.sub("", inner)).strip() for _, _, inner in row] for row in rows]
    heads, longest = texts[0], [max(map(len, column)) for column in zip(*texts[1:], strict=True)]
    widths = [
        20 + _SIGN_PX * max(length, *map(len, head.split() or [""]))
        for head, length in zip(heads, longest, strict=True)
    ]
    wordy = [k for k in range(1, len(heads)) if longest[k] > _LONG]
    below, room = [], sum(min(width, _WRAPS_PX) for width in widths)
    for k in sorted(wordy, key=longest.__getitem__, reverse=True):
        if room > _DESK_PX or (longest[k] > _TOO_LONG and len(heads) > 2):
            room -= min(widths[k], _WRAPS_PX)
            below.append(k)
    cards = wordy and sum(min(width, _PHONE_WRAPS_PX) for width in widths) > _PHONE_PX
    for row in rows:
        for k, cell in enumerate(row):
            tag, look, _ = cell
            look = look.replace(_LEFT, "")
            if cards and k in wordy:
                kind = "wide long" if k in below else "wide"
                look = _with_class(look, kind)
            if cards and tag == "td" and "data-head" not in look:
                look += f' data-head="{html.escape(heads[k])}"'
            cell[1] = look
    if cards:
        about = _with_class(about, "cards spread" if below else "cards")
        about += f' style="--columns: {len(heads) - len(below)}"' if below else ""
    made = iter("".join(f"<{tag}{look}>{inner}</{tag}>" for tag, look, inner in row) for row in rows)
    return f"<table{about}>{_ROW.sub(lambda row: row[1] + next(made), inside)}</table>"


def _with_class(look, name):
    """The attributes of a part with a class more."""
    return look.replace(' class="', f' class="{name} ') if ' class="' in look else f'{look} class="{name}"'


def _interval(low, high, *, head):
    """Both ends of an interval in a cell, or their heading."""
    if head:
        return re.sub(r"(?i)\blow\b", r"\g<0> to high", low)
    return f"{low} to {high}" if low and high else f"{low} or more" if low else f"{high} or less" if high else ""


def resolve_docstring_name(app, env, node, shown):
    """Return the link from a name in a docstring to the one object of ours that has it, in whichever room."""
    from sphinx.util.nodes import make_refnode

    objects = env.get_domain("py").objects if node.get("refdomain") == "py" else {}
    names = [name for name in objects if name.endswith(f".{node['reftarget']}")]
    if len(names) != 1:
        return None
    place = objects[names[0]]
    return make_refnode(app.builder, node["refdoc"], place.docname, place.node_id, shown, names[0])
