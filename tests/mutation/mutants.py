"""The mutants of a module: mutmut's changes, at every place of it.

mutmut itself leaves out what stands outside functions and what is decorated; here a law is a record outside functions.
"""

import difflib
import itertools
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    WhitespaceInclusivePositionProvider,
)
from mutmut.mutation.mutators import mutation_operators

LEFT_OUT = (cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom)


@dataclass(frozen=True)
class Mutant:
    """One change of one module: the lines of its statement, whether it changes only prose, the whole changed text."""

    path: str
    line: int
    lines: range
    prose: bool
    change: str
    source: str = field(repr=False)


def mutants(path, root):
    """Give the mutants of a module, in the order of its text."""
    text = (root / path).read_text(encoding="utf-8")
    wrapper = MetadataWrapper(cst.parse_module(text))
    finder = _Finder()
    wrapper.visit(finder)
    starts = [0, *itertools.accumulate(len(line) for line in text.splitlines(keepends=True))]
    found = {}
    for span, changed, lines, prose in finder.found:
        first, last = (starts[at.line - 1] + at.column for at in (span.start, span.end))
        source = text[:first] + wrapper.module.code_for_node(changed) + text[last:]
        line, change = _change(text, source, span.start.line)
        found.setdefault(source, Mutant(str(path), line, lines, prose, change, source))
    return list(found.values())


class _Finder(cst.CSTVisitor):
    """Collects (where the text of a node is, changed node, lines of the statement, prose)."""

    METADATA_DEPENDENCIES = (PositionProvider, WhitespaceInclusivePositionProvider, ParentNodeProvider)

    def __init__(self):
        super().__init__()
        self.found = []

    def on_visit(self, node):
        if isinstance(node, LEFT_OUT) or _docstring(node):
            return False
        made = _made(node)
        if made:
            above = list(self._above(node))
            lines = self._lines(above)
            span = self.get_metadata(WhitespaceInclusivePositionProvider, node)
            self.found += [(span, changed, lines, _prose(node, changed, above)) for changed in made]
        return True

    def _above(self, node):
        """The node, what it stands in, and so on to the statement."""
        while not isinstance(node, cst.BaseStatement | cst.BaseSmallStatement | cst.Module):
            yield node
            node = self.get_metadata(ParentNodeProvider, node)
        yield node

    def _lines(self, above):
        """From the start of the statement to the end of the part of it that has the node: a head without its body."""
        first, last = above[-1], above[-2] if len(above) > 1 else above[-1]
        position = [self.get_metadata(PositionProvider, node) for node in (first, last)]
        return range(position[0].start.line, position[1].end.line + 1)


def _made(node):
    """What mutmut makes of a node, without what says the same again: each text once, each argument once."""
    made = [changed for kind, operator in mutation_operators if isinstance(node, kind) for changed in operator(node)]
    if isinstance(node, cst.SimpleString):
        return made[:1]
    return [changed for changed in made if not (isinstance(node, cst.Call) and _again(node, changed))]


def _again(call, changed):
    """Whether a call loses a positional argument or has None for a named one: mutmut does both to each."""
    if len(changed.args) < len(call.args):
        return any(each.keyword is None and not each.star for each in call.args if each not in changed.args)
    return any(new is not old and new.keyword for old, new in zip(call.args, changed.args, strict=True))


def _docstring(node):
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.SimpleString)


def _words(node):
    """Whether an expression is prose: a text with a blank in it, whole or in pieces."""
    if isinstance(node, cst.SimpleString):
        return " " in node.raw_value
    if isinstance(node, cst.FormattedString):
        return any(isinstance(part, cst.FormattedStringText) and " " in part.value for part in node.parts)
    return isinstance(node, cst.ConcatenatedString) and (_words(node.left) or _words(node.right))


def _prose(node, changed, above):
    """Whether only words for people change: prose, an argument or a name that is prose, or the words of an error."""
    if isinstance(above[-1], cst.Raise) or any(_words(each) for each in above):
        return True
    if isinstance(node, cst.Call) and len(node.args) != len(getattr(changed, "args", node.args)):
        return any(_words(each.value) for each in node.args if each not in changed.args)
    if isinstance(node, cst.Call):
        pairs = zip(node.args, getattr(changed, "args", node.args), strict=True)
        return any(_words(old.value) and old is not new for old, new in pairs)
    return isinstance(node, cst.Assign | cst.AnnAssign | cst.AugAssign) and _words(node.value)


def _change(text, source, near):
    """The first changed line, and the changed lines as a diff has them; nothing changes before the line `near`."""
    old, new = text.splitlines()[near - 1 :], source.splitlines()[near - 1 :]
    while old and new and old[-1] == new[-1]:  # what is alike below takes long to compare
        del old[-1], new[-1]
    parts = [part for part in difflib.SequenceMatcher(None, old, new, False).get_opcodes() if part[0] != "equal"]
    lines = [f"{sign} {line.strip()}" for _, a, b, c, d in parts
             for sign, side in (("-", old[a:b]), ("+", new[c:d])) for line in side]  # fmt: skip
    return (near + parts[0][1] if parts else 0), "\n".join(lines)
