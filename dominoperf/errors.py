"""The ways a user can be wrong; every message says where, what was expected, what was found and what to do.

First the errors; then wording that depends on whether the user types at a shell or in Python (`spelling`); then texts
of messages, and names like one that is not known; then checks that several rooms make.
"""

import contextlib
import contextvars
import errno
import functools
import inspect
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Generator, Iterable
from numbers import Integral, Real
from typing import ParamSpec, TypeGuard, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
CONTROL = "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
"""What a terminal would obey, and what turns the direction of the text after it."""
LONGEST = 1_900
"""Characters of the four parts of a message: it says what is wrong, and does not repeat a file."""
_LEFT_OUT = " ... "
_TYPED = 100  # characters of a name that somebody may have meant
_OFFERED = 3  # names; where more are as likely, none was meant
_LISTED = 200  # characters of a list of names that follows a name like the one typed
# The words of the command that runs; none in Python.
_COMMAND: contextvars.ContextVar[tuple[str, ...] | None] = contextvars.ContextVar("dominoperf_command", default=None)


class DominoperfError(Exception):
    """A user's mistake: where, what was expected, what was found, what to do.

    Parameters
    ----------
    where : str
        File, line and column, or the argument.
    expected, found : str
        What should have been there, and what was.
    remedy : str
        What to do about it: a whole sentence.
    """

    def __init__(self, where, *, expected, found, remedy):
        parts = [_from_here(without_control_characters(part)) for part in (as_option(where), expected, found, remedy)]
        parts = [shortened(part, LONGEST) for part in parts]
        room = LONGEST
        for waiting, length in zip((4, 3, 2, 1), sorted(map(len, parts)), strict=True):  # the shortest part first
            if length > room // waiting:  # those that still have no room, all longer, share what is left
                parts = [shortened(part, room // waiting) for part in parts]
                break
            room -= length
        self.where, self.expected, self.found, self.remedy = parts
        super().__init__(f"{self.where}: expected {self.expected}, found {self.found}. {self.remedy}")

    def __reduce__(self):
        """Let the error travel between processes, which rebuild it from its parts."""
        parts = {"expected": self.expected, "found": self.found, "remedy": self.remedy}
        return functools.partial(type(self), **parts), (self.where,)


class UnknownName(DominoperfError):
    """A table, source, series, law or parameter that does not exist."""

    @classmethod
    def among(
        cls, where: str, found: object, known: Collection[str], listing: str = "", expected: str = "a known name"
    ) -> "UnknownName":
        """Name the closest of the `known` names; `listing` says how to see them all, `expected` what they are.

        Without a `listing` all are named; a long one that would bury the closest is left out.
        """
        listing = listing or f"Known are {', '.join(map(str, known)) or 'none'}."
        asked = question_of_names(near_names(found if isinstance(found, str) else as_python(found), known))
        remedy = asked if asked and len(listing) > _LISTED else f"{asked}{listing}"
        return cls(where, expected=expected, found=as_python(found), remedy=remedy.rstrip())


class BadUsage(DominoperfError):
    """Words of a command that are missing, too many, or of the wrong kind."""


class BadTable(DominoperfError):
    """A data folder, file or cell that does not keep its contract."""


class MissingFile(BadTable, FileNotFoundError):
    """A file that is not there: `where` is its path; files beside it with a like name are offered."""

    __str__ = Exception.__str__  # OSError's own has the number of the error

    def __init__(self, where):
        remedy = f"{did_you_mean(where)}Look how its name is written, and in which folder it is."
        super().__init__(where, expected="a file or folder", found="no such file", remedy=remedy)
        self.errno, self.strerror, self.filename = errno.ENOENT, self.found, str(where)

    def __reduce__(self):
        """Let the error travel between processes, which rebuild it from the path."""
        return type(self), (self.filename,)


class CannotFit(DominoperfError):
    """A fit that the points do not allow."""


class CannotSolve(DominoperfError):
    """A queueing network that cannot be solved as asked."""


class CannotPlan(DominoperfError):
    """A request for a plan that cannot be read, or not be met."""


class CannotRun(DominoperfError):
    """Work that cannot be spread over processes, or whose processes were lost."""


class ReportFailed(DominoperfError):
    """A notebook that could not be run, or stopped on the way; `cell` is the one that failed, counting from 1."""

    def __init__(self, where, *, expected, found, remedy, cell=None):
        super().__init__(where, expected=expected, found=found, remedy=remedy)
        self.cell = cell

    def __reduce__(self):
        """Let the error travel between processes, its cell too."""
        rebuild, where = super().__reduce__()
        return functools.partial(rebuild, cell=self.cell), where


def names_its_keywords(passed_to: str = "") -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Let a function answer a keyword that it does not have with those that it has, the nearest first.

    `passed_to` is what its ``**settings`` go to, written as "dominoperf.fitting:fit".
    """

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        parameters = inspect.signature(function).parameters.values()
        own = {each.name: each for each in parameters if each.kind is not each.VAR_KEYWORD}

        @functools.wraps(function)
        def answering(*args: Given.args, **keywords: Given.kwargs) -> Answer:
            if not own.keys() >= keywords.keys():
                import pkgutil  # seldom asked for

                further = inspect.signature(pkgutil.resolve_name(passed_to)).parameters.values() if passed_to else ()
                names = dict.fromkeys([*own, *(each.name for each in further if each.default is not each.empty)])
                for name in keywords:
                    if name not in names:
                        raise UnknownName.among(f"argument of {function.__name__}", name, names)
            return function(*args, **keywords)

        return answering

    return decorate


@contextlib.contextmanager
def at_shell(words: Iterable[str]) -> Generator[None, None, None]:
    """While the command of these words runs: messages name what the user of a shell types."""
    before = _COMMAND.set(tuple(words))
    try:
        yield
    finally:
        _COMMAND.reset(before)


def spelling(python: str, shell: str) -> str:
    """Return what a user types to have it: `shell` on the command line, `python` elsewhere.

    Examples
    --------
    >>> spelling("level=...", "--level")
    'level=...'
    >>> with at_shell(["fit", "usl", "my runs.csv"]):
    ...     spelling("level=...", "--level"), shell_command("--x", "clients")
    ('--level', "dominoperf fit usl 'my runs.csv' --x clients")
    """
    return python if _COMMAND.get() is None else shell


def as_option(argument: str, option: str = "") -> str:
    """Return the name of an argument as the user wrote it: as its option where that was typed."""
    option = option or f"--{argument}"
    typed_it = any(word.partition("=")[0] == option for word in _COMMAND.get() or ())
    return option if typed_it else argument


def _from_here(text):
    """Return a text at the shell whose paths count from the working directory, unless its own path was typed."""
    words = _COMMAND.get()
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:  # it was removed
        return text
    return text if words is None or here == os.sep or any(here in word for word in words) else text.replace(here, "")


def as_typed(value: object) -> str:
    """Return a number, or a list of them, as the user wrote it: the command line reads 2 as 2.0."""
    numbers = value if isinstance(value, list) else [value]
    return spelling(as_python(value), ", ".join(as_python(number).removesuffix(".0") for number in numbers))


def as_python(value: object) -> str:
    """Return a value as Python writes it; what is of NumPy without its type: 3.0, no ``np.float64(3.0)``.

    Of a frame or a series it is what it is: "a DataFrame"; a date or time is as TOML has it.

    >>> as_python(10**5000)
    'a number of thousands of digits'
    """
    if hasattr(value, "to_frame") or hasattr(value, "to_csv"):
        return f"a {type(value).__name__}"
    if hasattr(value, "isoformat"):
        return value.isoformat()
    numpy = sys.modules.get("numpy")
    typed = numpy is not None and numpy.lib.NumpyVersion(numpy.__version__) >= "2.0.0"
    with numpy.printoptions(legacy="1.25") if typed else contextlib.nullcontext():
        try:
            return repr(value)
        except ValueError:  # Python writes no number of more than 4,300 digits
            return "a number of thousands of digits"


def shell_command(*more: str) -> str:
    """Return the command that runs with more words, as a shell reads it."""
    return shlex.join(["dominoperf", *(_COMMAND.get() or ()), *more])


def without_control_characters(text: object) -> str:
    """Return a text with what a terminal would obey written as Python writes it; line breaks and tabs stay."""
    return re.sub(rf"(?![\n\t]){CONTROL}", lambda match: ascii(match[0])[1:-1], str(text))


def counted(number: int, name: str) -> str:
    """Return how many there are, in the singular or plural: "1 row", "no rows"."""
    return f"{number or 'no'} {name}{'' if number == 1 else 's'}"


def joined_with(word: str, names: Iterable[str]) -> str:
    """Return names in a row, with commas, and a word before the last: "a, b and c"."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def capitalized(text: str) -> str:
    """Return a text as it begins a sentence; the name of a file or column at its beginning stays as it is."""
    first = text.partition(" ")[0]
    return text if re.search(r"[_/\\]|\w\.\w", first) else f"{text[:1].upper()}{text[1:]}"


def shortened(text: object, most: int) -> str:
    """Return a text as any terminal prints it, half a character escaped; of more than `most` characters both ends."""
    text = str(text).encode("utf-8", "backslashreplace").decode("utf-8")
    end = (most - len(_LEFT_OUT)) // 2
    return text if len(text) <= most else f"{text[:end]}{_LEFT_OUT}{text[-end:]}"


def near_names(found: str, known: Collection[str]) -> list[str]:
    """Return the known names that `found` may mean: that end in it, else are one letter off, contain it, or are near.

    They are compared as a whole, without their source, and by their first word or what follows it; case does not count.
    At last comes what `found` itself begins with. Where more than three are as likely, nobody can say which was meant:
    there are none.
    """
    if ends := [str(name) for name in known if str(name).endswith(f"/{found}")]:
        return ends[:_OFFERED]
    spelt: dict[str, list[str]] = {}
    for name in map(str, known):
        for part in dict.fromkeys((name, name.rpartition("/")[2], *name.split(" ", 1))):
            spelt.setdefault(part.casefold(), []).append(name)
    wanted = found[:_TYPED].casefold()
    near = near_spellings(wanted, spelt, most=1) or [part for part in spelt if _contains(part, wanted)]
    near = near or near_spellings(wanted, spelt) or near_spellings(wanted.rpartition("/")[2], spelt)
    near = near or [part for part in spelt if len(part) > 2 and wanted.startswith(part)]
    names = list(dict.fromkeys(name for part in near for name in spelt[part]))
    return names if len(names) <= _OFFERED else []


def _contains(part, wanted):
    """Whether a name begins with what was typed, or has it in it where that is more than two letters."""
    return bool(wanted) and (part.startswith(wanted) or (len(wanted) > 2 and wanted in part))


def near_spellings(found: str, known: Iterable[str], most: int = _TYPED) -> list[str]:
    """Return the names that the fewest changes make of `found`: one in three letters at most, without a file's ending.

    A change adds a letter, leaves one out, takes another, or exchanges two neighbours.

    Examples
    --------
    >>> near_spellings("clcok", ["clock", "lock", "block"]), near_spellings("users", ["servers", "nodes"])
    (['clock'], [])
    """
    fewest, near = min(max(len(os.path.splitext(found)[0]) // 3, 1), most) if len(found) > 2 else 0, []
    for name in known:
        if abs(len(name) - len(found)) > fewest:
            continue
        changes = _changes_of_letters(found, name.casefold())
        if changes < fewest:
            fewest, near = changes, []
        if changes == fewest:
            near.append(name)
    return near


def _changes_of_letters(one, other):
    """How many changes of a letter make one word of the other: the distance of optimal string alignment."""
    before, last = [], list(range(len(other) + 1))
    for k, letter in enumerate(one):
        row = [k + 1]
        for n, its in enumerate(other):
            row.append(min(last[n + 1] + 1, row[n] + 1, last[n] + (letter != its)))
            if k and n and letter == other[n - 1] and its == one[k - 1]:
                row[-1] = min(row[-1], before[n - 1] + 1)
        before, last = last, row
    return last[-1]


def question_of_names(near: Collection[str]) -> str:
    """Return the question whether one of these names was meant, and a blank; nothing without names."""
    return f"Did you mean {' or '.join(near)}? " if near else ""


def did_you_mean(path: str | os.PathLike) -> str:
    """Return a question with the files beside a path whose names look like its own; nothing where none does."""
    folder, name = os.path.split(str(path))
    try:
        beside = [file for file in os.listdir(folder or ".") if file != name]  # a link may lead nowhere
    except (OSError, ValueError):  # no folder either, or a name with a zero byte
        return ""
    return question_of_names([os.path.join(folder, file) for file in near_names(name, beside)])


def system_reason(error: Exception) -> str:
    """Return in plain words why a file could not be read: the system's own words, without numbers of errors."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "a folder"
    if isinstance(error, UnicodeDecodeError):
        return "bytes that are no text in UTF-8, as in a binary file"
    return getattr(error, "strerror", "") or str(error)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number that a float holds; true and false are none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        float(value)
    except OverflowError:  # whole numbers and fractions have no limit
        return False
    return True


def is_whole_number(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number, of any size; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_seed(where: str, seed: object, refused: type[DominoperfError]) -> None:
    """Refuse a seed of random draws that is no whole number from 0, by the class `refused`."""
    if not (is_whole_number(seed) and seed >= 0):
        expected = "a whole number from 0"
        raise refused(f"{where}, seed", expected=expected, found=as_typed(seed), remedy=f"Give {expected}.")


def check_number(
    where: str, value: object, low: float, high: float, *, low_included: bool = False,
    refused: type[DominoperfError] = CannotFit,
) -> None:  # fmt: skip
    """Refuse a setting outside the open interval (low, high), by the class `refused`.

    With `low_included`, low itself is allowed.
    """
    number = is_number(value)
    if not (number and (low < value < high or (low_included and value == low))):
        expected = _range_in_words(low, high, low_included, is_end=number and value in (low, high))
        remedy = f"Give {expected}, or leave it out."
        if number and high == 1 and 2 <= value <= 100 and value / 100 > low:  # 70 of 100, where 0.7 is meant
            remedy = f"Write it as a share: {value / 100:g}."
        raise refused(where, expected=expected, found=as_typed(value), remedy=remedy)


def _range_in_words(low, high, low_included, is_end):
    """The numbers that `check_number` takes; `is_end` where one of the two ends was given, which lies not between."""
    if low_included:
        return f"{low} or more" + (f", and below {high}" if high < math.inf else "")
    if high == math.inf:
        return "a positive number" if low == 0 else "a number"
    return f"a number above {low} and below {high}" if is_end else f"a number between {low} and {high}"


def check_level(level: object, where: str, refused: type[DominoperfError] = CannotFit) -> None:
    """Refuse a coverage that is not above 0.5 and below 1, by the class `refused`.

    A one-sided interval needs more than a half.
    """
    where = spelling(f"{where}(level=...)", "--level")
    if is_number(level) and 50 < level < 100:
        remedy = f"Write it as a share: {level / 100:g}."
        raise refused(where, expected="a number between 0.5 and 1", found=f"{level:g}", remedy=remedy)
    check_number(where, level, 0.5, 1, refused=refused)
