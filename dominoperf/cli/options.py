"""Options that several commands have, and argparse's parser, whose mistakes are reported in the words that were typed.

Each other option is in the module of its command, above it.
"""

import argparse
import functools
import itertools
import math
import re
import shlex

from dominoperf.errors import BadUsage, UnknownName, joined_with, near_names, question_of_names

_NUMBER = r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|inf(inity)?|nan"
_NEGATIVE = re.compile(rf"-({_NUMBER})%?$", re.IGNORECASE)
_SECONDS = {"µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "m": 60, "h": 3600}  # of a unit that is typed
_THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d*)?")
_DIGITS = 18  # of a whole number that is asked for; Python itself reads 4,300
_SHORT = 40  # characters of choices that help shows where the option stands, and not in its explanation
_COUNTS = {None: "one value", "+": "one value or more", 2: "two values"}
# Words of the library that are named again here, for to import it would make --help slow; a test compares them.
FORMATS = ("text", "csv", "json", "md")
INTERVALS = ("auto", "profile", "wald", "none")
METHODS = ("mser", "fixed")
VERDICTS = ("confirmed", "approximate", "conditional", "repeated", "contradicted", "unverifiable")
ADVICE_VERDICTS = ("supported", "contradicted", "not tested")
VIEWS_OF_DATA = ("printed", "corrected", "suspected")
TABLES_AS = (*VIEWS_OF_DATA, "regenerated")


def data_option(command, name="data"):
    """A further data folder."""
    command.add_argument("--data", dest=name, action="append", default=[], metavar="FOLDER", help="use this data too")


def format_options(command):
    """How a table is printed."""
    command.add_argument("--format", choices=FORMATS, default="text", help="how to print (default: text)")
    wide = "every column and no line broken, wider than the terminal (as in a file or pipe)"
    command.add_argument("--wide", action="store_true", help=wide)


class ValuesByName(argparse.Action):
    """Collects the pairs of an option that may come again, as a dict."""

    def __call__(self, parser, namespace, pair, option=None):
        """Add one; `UnknownName` where its name was there: nobody can say which value was meant."""
        (name, value), values = pair, getattr(namespace, self.dest)
        if name in values:
            found = f"{name} as {values[name]} and as {value}"
            raise UnknownName(option, expected="every name once", found=found, remedy="Leave one of them out.")
        setattr(namespace, self.dest, values | {name: value})


def pairs_option(command, option, **settings):
    """An option that may come again, each time with a heading and what is behind its last equals sign."""

    def parts(text):
        heading, _, name = text.rpartition("=")  # our names have no equals sign, a column may have one
        if not (heading and name):
            behind = settings["metavar"].partition("=")[2].lower()
            remedy = f"Write the heading, an equals sign and the {behind}, without blanks."
            raise BadUsage(option, expected=settings["metavar"], found=repr(text), remedy=remedy)
        return heading, name

    command.add_argument(option, type=parts, action=ValuesByName, default={}, **settings)


def reader_option(command):
    """The format of files of load tests."""
    which = "the format, where the file does not tell it: nmon, sadf, csv... (a wrong name lists them)"
    command.add_argument("--reader", metavar="NAME", help=which)


def map_option(command):
    """Which column of a table of one's own is what."""
    ours = "a column of a table of your own, and our name for it; response_s[ms] names the unit: 'took=response_s[ms]'"
    pairs_option(command, "--map", metavar="COLUMN=NAME", help=ours)


def where_option(command):
    """Which rows of a table of one's own."""

    def parts(text):
        if "=" not in text:
            remedy = "Write the heading, an equals sign and the value of the rows to keep."
            raise BadUsage("--where", expected="COLUMN=VALUE", found=repr(text), remedy=remedy)
        return text.partition("=")[::2]

    which = {"metavar": "COLUMN=VALUE", "help": "only rows with that value"}
    command.add_argument("--where", type=parts, action="append", default=[], **which)


def level_option(command, what):
    """How sure intervals are."""
    command.add_argument("--level", type=float, default=0.95, help=f"coverage of the {what} (default: 0.95)")


def failed_share_option(command, which="a load is left out if more than this share of its requests failed"):
    """Of how many requests a load may fail and count."""
    which += " (default: 0.01; 1: none is)"
    command.add_argument("--failed-share", type=share_of_option("--failed-share", most=1), metavar="SHARE", help=which)


def show_option(command, tables, usual="all"):
    """Which table of a result is printed."""
    which = f"print this table alone (default: {usual} in text and json, tidy in csv and md)"
    command.add_argument("--show", choices=tables, help=which)


def parallel_options(command, what):
    """How many processes, or which cluster."""
    command.add_argument("--jobs", type=int, metavar="N", help=f"{what} at once (default: one per processor)")
    there = "run on this Dask cluster instead (needs the extra `cluster`)"
    command.add_argument("--scheduler", metavar="tcp://HOST:PORT", help=there)


class Parser(argparse.ArgumentParser):
    """A parser that raises `BadUsage` or `UnknownName` where argparse would print its usage and exit.

    Options are written out, each at most once unless its values add up; a number may be negative and have an exponent.
    The `example`, a command that runs, shows what is missing.
    """

    def __init__(self, *, example="", **settings):
        super().__init__(**settings, allow_abbrev=False, exit_on_error=False)
        self.set_defaults(parser=self)
        self.example = example
        self.options = []  # functions that add its options, called when it is asked for
        self.commands = {}  # by name, of the whole line: an option may belong to another
        self._negative_number_matcher = _NEGATIVE  # argparse's own takes -1e3 for an option

    def add_argument(self, *names, **settings):
        """Add an argument, whose choices and numbers are checked here: an int is one from 1, up to `most` if given."""
        where = next((name for name in names if name.startswith("--")), names[0])
        if "choices" in settings:
            settings["type"] = functools.partial(_choice_of_option, where, settings["choices"])
            if len(", ".join(settings["choices"])) > _SHORT:
                words = joined_with("or", settings["choices"])
                settings |= {"metavar": "WORD", "help": f"{settings['help']}: {words}"}
        elif settings.get("type") is float:
            unit = "SHARE" if where in ("--level", "--sigma") else settings.get("metavar")
            settings["type"] = functools.partial(_number_of_option, where, bool(settings.get("nargs")), unit)
        elif settings.get("type") is int:
            settings["type"] = functools.partial(_whole_number_of_option, where, settings.pop("most", None))
        return super().add_argument(*names, **settings)

    def add_options(self):
        """Add the options of a command, once."""
        while self.options:
            self.options.pop(0)(self)

    def parse_args(self, args=None, namespace=None):
        """Return what was typed.

        `BadUsage` where words are missing, left over or given twice; `UnknownName` where a command, an option or a
        choice does not exist.
        """
        namespace, rest = self.parse_known_args(args, namespace)
        if rest:
            taken = namespace.parser._get_positional_actions()
            expected = f"{' '.join(action.metavar for action in taken)} and no more words" if taken else "options alone"
            typed = [getattr(namespace, action.dest) for action in taken]  # which of them is too many nobody can tell
            typed = [word for each in typed for word in (each if isinstance(each, list) else [each])]
            remedy = f"Leave out what is too many; a name with blanks needs quotes. {namespace.parser._shown()}"
            raise BadUsage(namespace.parser.prog, expected=expected, found=shlex.join([*typed, *rest]), remedy=remedy)
        return namespace

    def parse_known_args(self, args=None, namespace=None):
        """Return what was typed and the words left over, which are no options."""
        self.add_options()
        self._check_options(args)
        self._typed = args
        try:
            return super().parse_known_args(args, namespace)
        except argparse.ArgumentError as error:
            if error.argument_name is None:  # words that are missing, from Python 3.13 on
                self.error(error.message)
            option = next(option for option in self._actions if error.argument_name in _names_of_option(option))
            raise self._wrong_number(option, args) from None

    def error(self, message):
        """Tell what argparse finds to be missing: it names the arguments behind a colon."""
        named = message.rpartition(": ")[2].split(", ")
        missing = [action for action in self._actions if action.required and set(_names_of_option(action)) & set(named)]
        asked = [_usage_of_option(action) if action.option_strings else action.metavar for action in missing]
        expected, found = " and ".join(asked) or "other words", "nothing there"
        if any(not action.option_strings for action in missing):
            words = itertools.takewhile(lambda word: not word.startswith("-"), self._typed)
            pairs = zip(words, self._get_positional_actions(), strict=False)
            taken = [f"{word} is taken for {action.metavar}" for word, action in pairs if action not in missing]
            found = " (".join([found, *taken]) + ")" * bool(taken)
        raise BadUsage(self.prog, expected=expected, found=found, remedy=self._shown())

    def _check_options(self, words):
        """Refuse a command or options that do not exist, and those given twice."""
        typed, commands = {}, self._subparsers and self._subparsers._group_actions[0].choices
        words = iter(words)
        for word in words:
            if word == "--":
                break
            if not word.startswith("-") or word == "-" or _NEGATIVE.match(word) or " " in word.partition("=")[0]:
                if not commands:
                    continue
                if word not in commands:
                    listing = "`dominoperf --help` lists them."
                    raise UnknownName.among("dominoperf", word, commands, listing, "a command")
                break  # what is behind a command is for its own parser
            name, equals, value = word.partition("=")
            action = self._option_string_actions.get(name)
            if action is None:
                raise self._unknown(name)
            if action.dest in typed and isinstance(action, argparse._StoreAction):
                remedy = "Leave one of them out."
                raise BadUsage(name, expected="this option once", found="it twice", remedy=remedy)
            if equals and action.nargs == 0:
                remedy = f"Write {name} alone, or leave it out."
                raise BadUsage(name, expected="no value: it is on or off", found=repr(value), remedy=remedy)
            typed[action.dest] = word
            if commands and action.nargs is None and not equals:
                next(words, None)  # its value, and no command

    def _unknown(self, name):
        """The mistake of an option that the command does not have."""
        if self._subparsers:
            remedy = "Options stand behind the command; `dominoperf COMMAND --help` lists those of one."
            return UnknownName("dominoperf", expected="a command", found=f"the option {name}", remedy=remedy)
        bare = name.lstrip("-").replace("_", "-")
        options = [option[2:] for option in self._option_string_actions if option.startswith("--")]
        near = [f"--{option}" for option in near_names(bare, options)]  # the dashes alone make none like another
        others = [] if near else [each for each, command in self.commands.items() if command._has_option(name)]
        elsewhere = f"It is an option of {joined_with('and', others)}. " if others else ""
        remedy = f"{question_of_names(near)}{elsewhere}{self._shown()}"
        return UnknownName(self.prog, expected="an option of it", found=repr(name), remedy=remedy)

    def _has_option(self, name):
        self.add_options()
        return name in self._option_string_actions

    def _wrong_number(self, action, words):
        """The mistake of an option with too few values, or, of those that have one, with none."""
        name = next((option for option in action.option_strings if option in words), _names_of_option(action)[-1])
        behind = words[words.index(name) + 1 :] if name in words else []
        count = next((k for k, word in enumerate(behind) if word.startswith("-") and not _NEGATIVE.match(word)), None)
        found = behind[:count]
        expected = f"{_COUNTS.get(action.nargs, 'a value')} behind it: {_usage_of_option(action)}"
        if action.choices:
            expected = f"a word behind it: {joined_with('or', action.choices)}"
        remedy = f"Write what is missing, or leave the option out. {self._shown()}"
        return BadUsage(name, expected=expected, found=shlex.join(found) or "none", remedy=remedy)

    def _shown(self):
        """Where to look on."""
        example = f"An example: `{self.example}`; " if self.example else ""
        return f"{example}`{self.prog} --help` says more."


def _names_of_option(action):
    """All that argparse may call an argument."""
    several = [*action.option_strings, "/".join(action.option_strings), action.metavar, action.dest]
    return [name for name in several if name]


def _usage_of_option(action):
    """An option with what is behind it, as help shows it."""
    shown = action.metavar or action.dest.upper()
    return " ".join([action.option_strings[-1], *([shown] if isinstance(shown, str) else shown)])


def _choice_of_option(where, choices, text):
    if text in choices:
        return text
    listing = "Write one of these, or leave the option out."
    raise UnknownName.among(where, text, choices, listing, joined_with("or", choices))


def _number_of_option(where, several, unit, text):
    """A number; `several` says that more may stand behind the option, `unit` what it is: SECONDS, SHARE."""
    try:
        return float(text)
    except ValueError:
        remedy = "Write the number alone: a decimal point, no commas, no unit, no percent sign"
        remedy += "; several stand apart." if several else "."
        with_unit = re.fullmatch(rf"(?P<number>{_NUMBER}) ?(?P<unit>\D+)", text)
        if _THOUSANDS.fullmatch(text):
            are_two = several and ",0" not in text
            remedy = f"Write {where} {text.replace(',', '')}"
            remedy += f", or apart: {where} {text.replace(',', ' ')}." if are_two else "."
        elif with_unit and unit == "SHARE" and with_unit["unit"] == "%":
            remedy = f"Write it as a share: {where} {float(with_unit['number']) / 100:g}."
        elif with_unit and unit == "SECONDS" and with_unit["unit"] in _SECONDS:
            remedy = f"Write it in seconds: {where} {float(with_unit['number']) * _SECONDS[with_unit['unit']]:g}."
        raise BadUsage(where, expected="a number", found=repr(text), remedy=remedy) from None


def _whole_number_of_option(where, most, text):
    """A whole number from 1, up to `most` if given."""
    number = int(text) if text.isdecimal() and len(text) <= _DIGITS else 0
    if 0 < number <= (most or number):
        return number
    expected = f"a whole number from 1{f' to {most}' if most else ''}"
    remedy = f"Write one, such as {where} {most or 2}, or leave it out."
    raise BadUsage(where, expected=expected, found=repr(text), remedy=remedy)


def share_of_option(where, most=math.inf):
    """Return what reads a share, 0.3 or 30%, of an option; a percentage above `most` is refused as it was typed."""

    def share(text):
        try:
            value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            remedy = f"Write one, such as {where} 0.3 or {where} 30%."
            raise BadUsage(where, expected="a share", found=repr(text), remedy=remedy) from None
        if text.endswith("%") and value > most:
            remedy = f"Write a smaller one, such as {where} 70%, or leave it out."
            raise BadUsage(where, expected=f"a share of at most {most:.0%}", found=text, remedy=remedy)
        return value

    return share


def number_of_option_or_text(text):
    """A number of an option, or the text itself for the library to refuse by name."""
    try:
        return float(text)
    except ValueError:
        return text
