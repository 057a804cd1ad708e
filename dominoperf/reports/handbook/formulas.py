"""The formula of a law, which its record has as text, as LaTeX; and as a number, to prove that it was read right.

The grammar: sums, products by juxtaposition, quotients (left to right, as binding as products), powers, functions
(``ln x``, ``sqrt(x)``, ``C(c, a)``), an equation, and after a comma words.
"""

import math
import re
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Za-z_]+)|(?P<sign>[-+/^(),=]))")
_WORDS = re.compile(r"^(?P<formula>[^=]+=[^=]+?)(?P<after>, [a-z][\w ]+)?$")
_SHORT = {"S": "service_s", "R_max": "response_max_s", "rate": "rate_per_s", "c": "servers"}
_FUNCTIONS = {"C", "max", "sqrt"}


@dataclass(frozen=True)
class Node:
    """A part of a formula: its kind (number, name, call, or an operator) and its parts or its text."""

    kind: str
    parts: tuple = ()
    text: str = ""


def latex(formula):
    """Give LaTeX of a formula; what is none but words about one stays words.

    Raises
    ------
    ValueError
        When it has signs that are no part of the grammar: a mistake in a record, not a reader's.
    """
    if not (found := _WORDS.match(formula)):
        return rf"\text{{{formula}}}"
    left, right = map(_set, sides(formula))
    return f"{left} = {right}" + (rf"\text{{{found['after']}}}" if found["after"] else "")


def sides(formula):
    """Give the two sides of an equation as trees, without words that follow it."""
    left, right = _WORDS.match(formula)["formula"].split("=")
    return parse(left), parse(right)


def parse(text):
    """Give the tree of an expression."""
    found, at = [], 0
    text = text.strip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise ValueError(f"{text!r}: nothing known at {text[at:]!r}")
        found, at = [*found, (token.lastgroup, token[token.lastgroup])], token.end()
    reader = _Reader(found)
    tree = reader.sum()
    if reader.left:
        raise ValueError(f"{text!r}: {reader.left} is left over")
    return tree


class _Reader:
    """Takes tokens from the front."""

    def __init__(self, tokens):
        self.left = tokens

    def next(self, *signs):
        return bool(self.left) and self.left[0][0] == "sign" and self.left[0][1] in signs

    def take(self, sign=None):
        if not self.left or (sign and self.left[0][1] != sign):
            raise ValueError(f"expected {sign or 'more'} before {self.left}")
        kind, text = self.left[0]
        self.left = self.left[1:]
        return kind, text

    def sum(self):
        tree = self.product()
        while self.next("+", "-"):
            tree = Node(self.take()[1], (tree, self.product()))
        return tree

    def product(self):
        tree = self.power()
        while self.left and not self.next("+", "-", ")", ",", "^"):
            sign = self.take()[1] if self.next("/") else "*"
            tree = Node(sign, (tree, self.power()))
        return tree

    def power(self):
        base = self.atom()
        if not self.next("^"):
            return base
        self.take("^")
        return Node("^", (base, self.signed()))

    def signed(self):
        if self.next("-"):
            self.take()
            return Node("negative", (self.atom(),))
        return self.atom()

    def atom(self):
        if self.next("("):
            self.take("(")
            tree = self.sum()
            self.take(")")
            return Node("group", (tree,))
        kind, text = self.take()
        if text == "ln":
            return Node("call", (self.power(),), "ln")
        if text in _FUNCTIONS and self.next("("):
            return Node("call", self.arguments(), text)
        return Node(kind, text=text)

    def arguments(self):
        self.take("(")
        found = [self.sum()]
        while self.next(","):
            self.take(",")
            found.append(self.sum())
        self.take(")")
        return tuple(found)


def value(node, known):
    """Give the number of a tree, the names having the values `known`; ``C`` is Erlang's."""
    parts = [value(part, known) for part in node.parts]
    if node.kind == "number":
        return float(node.text)
    if node.kind == "name":
        return known[node.text]
    if node.kind == "call":
        return _CALLED[node.text](*parts)
    return _COMPUTED[node.kind](*parts)


def _erlang_c(servers, load):
    from dominoperf.queueing import erlang_c

    return float(erlang_c(int(servers), load))


_CALLED = {"ln": math.log, "sqrt": math.sqrt, "max": max, "C": _erlang_c}
_COMPUTED = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a**b,
    "negative": lambda a: -a,
    "group": lambda a: a,
}


def _set(node):
    """A tree as LaTeX."""
    parts = [_set(part) for part in node.parts]
    if node.kind == "number":
        return node.text
    if node.kind == "name":
        return name(node.text)
    if node.kind == "call":
        return _set_call(node.text, parts)
    if node.kind == "/":
        return rf"\frac{{{_bare(node.parts[0])}}}{{{_bare(node.parts[1])}}}"
    if node.kind == "^":
        return f"{parts[0]}^{{{_bare(node.parts[1])}}}"
    return _FORMS[node.kind].format(*parts)


def _bare(node):
    """Without the brackets that a fraction's line or a raised place makes needless."""
    return _set(node.parts[0] if node.kind == "group" else node)


def _set_call(function, parts):
    if function == "sqrt":
        return rf"\sqrt{{{parts[0]}}}"
    return rf"\ln {parts[0]}" if function == "ln" else rf"{_CALLS[function]}\left( {', '.join(parts)} \right)"


_FORMS = {"+": "{} + {}", "-": "{} - {}", "*": r"{} \, {}", "negative": "-{}", "group": r"\left( {} \right)"}
_CALLS = {"C": "C", "max": r"\max"}


def name(text):
    """Give a name as LaTeX: a letter as a variable, a word upright."""
    return text if len(text) == 1 else rf"\text{{{text}}}"


def letters(formula, params):
    """Give what a formula calls its x and its y, and its short names of parameters; nothing of what is no equation."""
    if not (found := _WORDS.match(formula)):
        return "", "", {}
    left, right = sides(formula)
    named = _names(left) | _names(right)
    short = {each: long for each, long in _SHORT.items() if each in named and long in params}
    y = found["after"].split()[-1] if found["after"] else left.text
    (x,) = named - set(params) - set(short) - {y}
    return x, y, short


def _names(node):
    own = {node.text} if node.kind == "name" else set()
    return own.union(*map(_names, node.parts))
