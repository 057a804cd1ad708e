"""The pictures that executed notebooks show, and their files in the site."""

import html
import re
import shutil
from dataclasses import dataclass

FOLDER = "pictures"  # in the site
_FIGURE = re.compile(
    r'<figure role="img" aria-label="([^"]*)"(?: data-title="([^"]*)")?>(<svg.*?</svg>)\s*(<svg.*?</svg>)?\s*</figure>'
    r'(?:<details class="doubt.*)?',  # the errata that touch it
    re.DOTALL,
)
_DOUBT = re.compile(r'(<details class="doubt [a-z]+" data-erratum="([^"]*)">.*?</details>)', re.DOTALL)
_HIDDEN = ' class="half" display="none"'


@dataclass(frozen=True)
class Shown:
    """A picture of an executed notebook: where it stands, its words, and both sizes as SVG."""

    run: object
    number: int  # among the pictures of its page, from 1
    cell: int  # index among the code cells
    title: str
    alt: str
    svg: str
    half: str

    @property
    def name(self):
        """The beginning of its files' names."""
        return f"{self.run.name}-{self.number}"

    @property
    def href(self):
        """Its place on its page."""
        return f"{self.run.name}.html#{place(self.number)}"

    @property
    def small(self):
        """The file of its half width."""
        return f"{FOLDER}/{self.name}-half.svg"

    @property
    def large(self):
        """The file of the width of the text."""
        return f"{FOLDER}/{self.name}.svg"


def place(number):
    """Give the id of a picture on its page."""
    return f"picture-{number}"


def pictures(run, notebook):
    """List the pictures of an executed notebook, in order: of cells that show one and nothing else, not of panels."""
    found = []
    for k, cell in enumerate(cell for cell in notebook.cells if cell.cell_type == "code"):
        for alt, title, svg, half in filter(None, map(_picture, _html(cell))):
            words = html.unescape(alt)
            named = html.unescape(title) or words.partition(". ")[0]
            found.append(Shown(run, len(found) + 1, k, named, words, svg, half.replace(_HIDDEN, "", 1) or svg))
    return found


def numbered(cells):
    """Give every picture of a page its place; the outputs of the cells are changed."""
    count = 0
    for cell in cells:
        for output in cell.get("outputs", ()):
            text = output.get("data", {}).get("text/html", "")
            if _picture(text):
                count += 1
                text = text.replace('<figure role="img"', f'<figure id="{place(count)}" role="img"', 1)
                output["data"]["text/html"] = text
    return cells


def doubted(cells):
    """Give the errata that the outputs of cells tell, each once, the suspected first; "" where there are none."""
    told = {name: note for cell in cells for text in _html(cell) for note, name in _DOUBT.findall(text)}
    notes = sorted(told.values(), key=lambda note: 'class="doubt suspected"' not in note)
    return "".join(notes)


def write(shown, site):
    """Write the files of pictures into a site: SVG in both sizes; those of an earlier build go."""
    shutil.rmtree(site / FOLDER, ignore_errors=True)
    (site / FOLDER).mkdir()
    for each in shown:
        for name, svg in ((each.large, each.svg), (each.small, each.half)):
            (site / name).write_text(svg, encoding="utf-8")


def _picture(text):
    """Words and drawings of an output that is a picture."""
    found = _FIGURE.fullmatch(text.strip())
    return found and found.groups(default="")


def _html(cell):
    return [output["data"]["text/html"] for output in cell.get("outputs", ()) if "text/html" in output.get("data", {})]
