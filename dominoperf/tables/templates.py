"""HTML of templates, in which every text from data is escaped."""

import functools
import re


def rendered_template(folder, template, **values):
    """Return the HTML of a template of a folder.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "rows.html").write_text("<p>{{ text }}</p>")
    >>> str(rendered_template(folder, "rows.html", text="a < b"))
    '<p>a &lt; b</p>'
    """
    from markupsafe import Markup

    return Markup(_templates_of_folder(folder).get_template(template).render(values))


@functools.cache
def _templates_of_folder(folder):
    """The environment of Jinja for a folder; its filter `in_code` makes code of what is between backquotes."""
    import jinja2  # takes a while, and no command that prints text needs it
    from markupsafe import Markup, escape

    made = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True, trim_blocks=True)
    made.filters["in_code"] = lambda text: Markup(re.sub(r"``?([^`]+)``?", r"<code>\1</code>", str(escape(text))))
    return made
