"""The page of all pictures, and what every picture of the site has to keep."""

import html
import re

import nbformat
import pytest
from conftest import pages_of, write_notebook
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Bbox

from dominoperf import figures
from dominoperf.figures import pictures, theme
from dominoperf.reports import gallery, notebooks

_PLACE = re.compile(r'(?: x="|translate\()(?P<x>[\d.-]+)(?:" y="| )(?P<y>[\d.-]+)')  # of a text in a picture
# Units, and things that are counted: an axis names one of them, or its unit in brackets.
_UNITS = re.compile(
    r"\(|percent|USD|second|exponent|utilization|per user|users|clients|processors|drives|systems|claims|response"
)


@pytest.fixture(scope="module")
def entries(built):
    """Every picture of the site with its code."""
    read = [(run, nbformat.read(path, as_version=4)) for run, path in pages_of(built[0])]
    return [each for run, notebook in read for each in gallery.pictures_of_notebook(run, notebook)]


def words_of(svg):
    """The texts of a picture, line by line, each with the height of its letters."""
    found = re.findall(r'<text style="[^"]*font-size: ([\d.]+)px[^>]*>(.*?)</text>', svg, re.DOTALL)
    return [(html.unescape(words), float(size)) for size, words in found]


def boxes_of_words(svg):
    """The texts of a picture, line by line, each with the box that it covers; upwards in the picture is up."""
    for style, about, words in re.findall(r'<text style="([^"]*)"([^>]*)>(.*?)</text>', svg, re.DOTALL):
        size = float(re.search(r"font-size: ([\d.]+)px", style)[1])
        weight = "bold" if "font-weight: 700" in style else "normal"
        font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
        words = html.unescape(words)
        width = text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]
        _, height, descent = text_to_path.get_text_width_height_descent("lp", font, ismath=False)
        x, y = map(float, _PLACE.search(about).group("x", "y"))
        left = width * {"middle": 0.5, "end": 1.0}.get((re.findall(r"text-anchor: (\w+)", style) or [""])[0], 0.0)
        turned = Affine2D().rotate_deg(-float((re.findall(r"rotate\((-?\d+)", about) or [0])[0])).translate(x, -y)
        corners = turned.transform(Bbox([[-left, -descent], [width - left, height - descent]]).corners())
        yield words, Bbox([corners.min(axis=0), corners.max(axis=0)])


def words_that_meet(svg):
    """Pairs of words of a picture that cover each other by more than a hair, and words that leave the picture."""
    boxes = list(boxes_of_words(svg))
    met = [
        (one, other)
        for k, (one, here) in enumerate(boxes)
        for other, there in boxes[k + 1 :]
        if (both := Bbox.intersection(here, there)) and both.width > 1 and both.height > 1.5
    ]
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    page = Bbox([[-1, -height - 1], [width + 1, 1]])
    return met + [words for words, box in boxes if not (page.contains(*box.min) and page.contains(*box.max))]


def axis_words(alt):
    """The names of the axes, as the words for those who cannot see a picture tell them."""
    return re.findall(
        r"(?:Axes: |; )([^;]+?) (?:across|upwards), ", alt.partition("Axes: ")[1] + alt.partition("Axes: ")[2]
    )


def test_every_picture_says_what_it_shows(entries):
    """A finding as title, words for those who cannot see it that say more."""
    assert len(entries) >= 30
    for each in entries:
        assert each.title, each.large
        assert len(each.alt) > len(each.title) + 20, each.large
        assert re.search(r"\d", each.alt), each.large
        assert each.half != each.svg


def test_every_picture_names_its_source_and_its_units(entries):
    """A foot that has it, and axes that say in what they count or of what they are a ratio."""
    bare, without = set(), set()
    for each in entries:
        words = [text for text, _ in words_of(each.svg)]
        assert words, each.large
        bare |= {text for text in axis_words(each.alt) if not _UNITS.search(text)}
        named = any(text.startswith("Source") or ". Source" in text for text in [*words, " ".join(words)])
        without |= set() if named else {each.large}
    assert not bare
    assert not without


def test_every_picture_can_be_read_on_a_phone(entries):
    """The narrow one: 3.6 inches, shown 358 pixels wide; its smallest words are then 11 pixels high."""
    for each in entries:
        width = float(re.search(r'<svg[^>]* width="([0-9.]+)pt"', each.half)[1])
        smallest = min(size for _, size in words_of(each.half))
        assert smallest * 358 / width >= 11, each.large


def test_no_words_of_a_picture_meet(entries):
    """Neither in the wide one nor on a phone, and none leaves the picture."""
    met = {
        (each.large, str(words)) for each in entries for svg in (each.svg, each.half) for words in words_that_meet(svg)
    }
    assert not met


def test_words_that_meet_are_found():
    """Two names at one place, two along an upright axis, and one beside the figure."""
    with theme.theme():
        figure = Figure((2, 2))
        for x, y, words, angle in ((0.5, 0.5, "one", 0), (0.52, 0.5, "another", 0), (1.2, 0.5, "far", 0),
                                   (0.1, 0.1, "upright", 90), (0.1, 0.2, "too", 90), (0.1, 0.7, "up", 90)):  # fmt: skip
            figure.text(x, y, words, rotation=angle)
        drawn = pictures.figure_as_svg(figure)
    assert words_that_meet(drawn) == [("one", "another"), ("upright", "too"), "far"]


def test_the_page_shows_each_picture_once(built, entries):
    """With its code as text, and a link to the place where it stands; its files are there in both sizes."""
    site = built[0] / "site"
    text = (site / "gallery.html").read_text(encoding="utf-8")
    for each in entries:
        page, _, place = each.href.partition("#")
        assert text.count(f'href="{each.href}"') == 1
        assert (site / page).read_text(encoding="utf-8").count(f'id="{place}"') == 1
        assert (site / each.small).read_text(encoding="utf-8") == each.half
        assert (site / each.large).read_text(encoding="utf-8") == each.svg
    assert 'href="gallery.html"' in (site / "index.html").read_text(encoding="utf-8").partition("<article")[2]
    assert ">All pictures</a>" in (site / "processors.html").read_text(encoding="utf-8")


def test_titles_and_code_are_text(tmp_path, monkeypatch):
    """What a user's data put into a title is shown to the letter, in the gallery too."""
    notebook = write_notebook(tmp_path / "20_one.ipynb", "x = 'a'", "x")
    cells = nbformat.read(notebook, as_version=4)
    picture = figures.Picture("<svg>w</svg>", "<script>alert(1)</script>. More.", "<svg>n</svg>", "<b>{{ 7*7 }}</b>")
    cells.cells[-1].outputs = [nbformat.v4.new_output("execute_result", {"text/html": picture._repr_html_()})]
    run = notebooks.NotebookRun("one", "20_processors", {})
    (found,) = drawn = gallery.pictures_of_notebook(run, cells)
    assert (found.title, found.svg, found.half) == ("<b>{{ 7*7 }}</b>", "<svg>w</svg>", "<svg>n</svg>")
    body = nbformat.writes(gallery.gallery_page(drawn))
    assert "<script>" not in body
    assert "<b>" not in body


def test_a_panel_with_a_picture_is_none(tmp_path):
    """Its picture depends on its controls; the cell that shows it makes more than that."""
    picture = figures.Picture("<svg>w</svg>", "words", "<svg>n</svg>", "title")
    notebook = nbformat.read(write_notebook(tmp_path / "20_one.ipynb", "x"), as_version=4)
    run = notebooks.NotebookRun("one", "20_processors", {})
    for text, count in ((picture._repr_html_(), 1), (f"<div>{picture._repr_html_()}</div>", 0)):
        notebook.cells[-1].outputs = [nbformat.v4.new_output("display_data", {"text/html": text})]
        assert len(gallery.pictures_of_notebook(run, notebook)) == count
        gallery.number_pictures(notebook.cells, run.name)
        assert sum('id="picture-' in str(cell) for cell in notebook.cells) == count
