"""The pictures that executed notebooks show: their places, their files in the site, and the page of them all."""

import html
import re
import shutil
from dataclasses import dataclass

from dominoperf.reports.cells import html_outputs, notebook_of_cells, rendered_template

NAME, TITLE = "gallery", "All pictures, and the code that makes each"
LISTED = ((NAME, "All pictures"),)  # in the lists of pages
FOLDER = "pictures"  # in the site
_FIGURE = re.compile(
    r'<figure role="img" aria-label="([^"]*)"(?: data-title="([^"]*)")?>(<svg.*?</svg>)\s*(<svg.*?</svg>)?\s*'
    r'(?:<script type="application/json">[^<]*</script>)?</figure>'  # the chart for a pointer
    r'(?:<details class="erratum.*)?',  # the errata that touch it
    re.DOTALL,
)
_LEADING = re.compile(r'(<a data-place="[^"]*") href="[^"]*"')  # a mark with an address, which its file has not
_AXES = re.compile(
    r'<g id="axes_\d+">\s*<g id="patch_\d+">\s*<path d="M \S+ (\S+)\s+L \S+ \S+\s+L \S+ (\S+)'
)  # bottom, top
_AXIS = re.compile(r'<g id="matplotlib\.axis_\d+">.*?(?=<g id="(?:matplotlib\.axis|patch|axes|legend)_)', re.DOTALL)
_BASELINE = re.compile(r'<text [^>]*?\by="([^"]+)"')
_HIDDEN = ' class="half" display="none"'


@dataclass(frozen=True)
class PagePicture:
    """A picture of an executed notebook: its place, its text, and both sizes as SVG."""

    run: object
    number: int  # among the pictures of its page, from 1
    title: str
    alt: str
    svg: str
    half: str
    code: str  # of the cell that shows it

    @property
    def href(self):
        """Its place on its page."""
        return f"{self.run.name}.html#picture-{self.number}"

    @property
    def small(self):
        """The file of its half width."""
        return f"{FOLDER}/{self.run.name}-{self.number}-half.svg"

    @property
    def thumbnail(self):
        """The part of that file with its axes, their numbers and their words: title and foot would be too small."""
        width, height = map(float, re.search(r'viewBox="0 0 (\S+) ([^"]+)"', self.half).groups())
        ends = [tuple(map(float, found)) for found in _AXES.findall(self.half)] or [(height, 0)]
        words = [float(y) for axis in _AXIS.findall(self.half) for y in _BASELINE.findall(axis)]
        top = max(min(end[1] for end in ends) - 13, 0)
        bottom = min(max([end[0] for end in ends] + [y for y in words if y <= height]) + 5, height)
        return f"{self.small}#svgView(viewBox(0,{top:.0f},{width:.0f},{bottom - top:.0f}))"

    @property
    def large(self):
        """The file of the width of the text."""
        return f"{FOLDER}/{self.run.name}-{self.number}.svg"


def pictures_of_notebook(run, notebook):
    """List the pictures of an executed notebook, in order: of cells that show one and nothing else, not of panels."""
    drawn = []
    for cell in [cell for cell in notebook.cells if cell.cell_type == "code"]:
        drawings = [_drawing_of_output(data["text/html"]) for data in html_outputs([cell])]
        for alt, title, svg, half in filter(None, drawings):
            words = html.unescape(alt)
            named, half = html.unescape(title) or words.partition(". ")[0], half.replace(_HIDDEN, "", 1) or svg
            drawn.append(PagePicture(run, len(drawn) + 1, named, words, svg, half, cell.source))
    return drawn


def number_pictures(cells, name):
    """Give every picture among the outputs of a page its place, its number and links to its files."""
    drawn = [data for data in html_outputs(cells) if _drawing_of_output(data["text/html"])]
    for number, data in enumerate(drawn, start=1):
        text = _picture_html(data["text/html"], f'<figure id="picture-{number}"')
        file, code = f"{FOLDER}/{name}-{number}.svg", f"{NAME}.html#{name}"
        links = f'<a href="{file}">SVG</a>, <a href="{code}">code</a>'
        words = f'<p class="caption">Figure {number} <small>{links}</small></p>'
        data["text/html"] = text.replace("</figure>", f"</figure>{words}", 1)


def take_first_picture(cells):
    """Take the first output that is a picture out of the cells of a page; return it in a list, empty without one."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            if "<figure id=" in output.get("data", {}).get("text/html", ""):
                cell.outputs.remove(output)
                return [output]
    return []


def first_picture(notebook):
    """Return the first picture of an executed notebook, with the links of its marks; "" where there is none."""
    texts = (data["text/html"] for data in html_outputs(notebook.cells))
    text = next(filter(_drawing_of_output, texts), "")
    figure, end, _ = _picture_html(text, "<figure").partition("</figure>")
    return figure + end


def _picture_html(text, begin):
    """The HTML of a picture, begun as told; it is no image where marks can be chosen, for an image would hide them."""
    role = "group" if _LEADING.search(text) else "img"
    return text.replace('<figure role="img"', f'{begin} role="{role}"', 1)


def _drawing_of_output(text):
    """Words and drawings of an output that is a picture."""
    match = _FIGURE.fullmatch(text.strip())
    return match and [_LEADING.sub(r"\1", part) for part in match.groups(default="")]


def gallery_page(drawn):
    """Return the page of all pictures as a notebook: each small, with the code that makes it."""
    groups = {}
    for picture in drawn:
        groups.setdefault(picture.run.name, []).append(picture)
    return notebook_of_cells(f"# {TITLE}", rendered_template("gallery.html", groups=groups.values(), count=len(drawn)))


def write_picture_files(drawn, site):
    """Write the files of pictures into a site: SVG in both sizes; those of an earlier build go."""
    shutil.rmtree(site / FOLDER, ignore_errors=True)
    (site / FOLDER).mkdir()
    for picture in drawn:
        (site / picture.large).write_text(picture.svg, encoding="utf-8")
        (site / picture.small).write_text(picture.half, encoding="utf-8")
