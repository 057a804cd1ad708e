"""The HTML that every view is made of; all text is escaped."""

import functools
import html

from dominoperf.tables import rendering

WAITING = "explore-waiting"  # class of what is shown while another view is made: seldom for long
# A scope of its own, since JupyterLab, Voilà and the site each have a style; colours are theirs, so that dark is dark.
_STYLE = """<style>
.explore { line-height: 1.5; max-width: 62rem; font-size: 0.95rem; overflow-wrap: anywhere; }
.widget-html-content:has(> .explore) { flex: 1 1 0; min-width: 0; }
.explore-waiting .explore { opacity: 0.4; cursor: progress; transition: opacity 0.2s 0.5s; }
.explore p, .explore ul { margin: 0.4em 0; }
.explore h3 { margin: 1em 0 0.3em; font-size: 1.05em; font-weight: 600; }
.explore figure { margin: 0.6em 0; width: fit-content; max-width: 100%; background: white; }
.explore figure { padding: 0.3rem; box-sizing: border-box; }
.explore figure svg { display: block; width: 46rem; max-width: 100%; height: auto; }
.explore figure svg.half { display: none; }
@media (max-width: 40rem) {
  .explore figure:has(svg.half) svg { display: none; }
  .explore figure:has(svg.half) svg.half { display: block; width: 26rem; }
}
.explore .scroll { overflow-x: auto; }
.explore table { border-collapse: collapse; margin: 0.3em 0 0.8em; font-size: 0.9em; overflow-wrap: normal; }
.explore caption { text-align: left; caption-side: top; font-weight: 600; padding: 0.2em 0; }
.explore :is(th, td) { padding: 0.15em 0.6em; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
.explore :is(th, td).number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.explore td:first-child { min-width: 7em; }
.explore td:last-child:not(.number) { min-width: 10em; }
.explore a { text-decoration: underline; }
.explore pre { overflow-wrap: normal; white-space: pre; margin: 0.3em 0; }
.explore td.number:first-child { min-width: 0; }
.explore-rows td { vertical-align: top; min-width: 6em; max-width: 26em; overflow-wrap: anywhere; }
.explore td.differing { font-weight: 700; outline: 2px dashed; outline-offset: -2px; }
.explore td.differing::after { content: " ≠"; }
.explore .notice { border: 1px solid; border-left-width: 6px; padding: 0.4em 0.8em; margin: 0.6em 0; }
:root:has(.explore) #vg-tooltip-element { white-space: pre-line; }
.explore .said { font-size: 1.05rem; font-weight: 600; }
</style>"""


class View:
    """What a panel shows, written once as HTML by `_html`, which is given the ways out of a refusal, `alternatives`."""

    @functools.cached_property
    def html(self):
        """The view next to its controls."""
        return self._html(self.alternatives)

    @functools.cached_property
    def static_html(self):
        """The view where no controls are: it tells no one to use them."""
        return self._html(())


def view(*parts):
    """Return parts as one block in the style of all panels."""
    return f'{_STYLE}<div class="explore">{"".join(parts)}</div>'


def panel_paragraph(text, look=""):
    """Return a paragraph."""
    kind = f' class="{look}"' if look else ""
    return f"<p{kind}>{html.escape(text)}</p>" if text else ""


def panel_heading(text):
    """Return a heading."""
    return f"<h3>{html.escape(text)}</h3>"


def panel_notice(text, items=()):
    """Return the problem and what can be done about it; a screen reader reads it at once."""
    return f'<div class="notice" role="status">{panel_paragraph(text)}{rendering.as_html_list(items)}</div>'


def panel_code(text):
    """Return a line of Python."""
    return f'<div class="scroll"><pre><code>{html.escape(text)}</code></pre></div>'


def panel_table(frame, caption=""):
    """Return a table that scrolls by itself."""
    return f'<div class="scroll">{rendering.as_html(frame, caption=caption)}</div>'
