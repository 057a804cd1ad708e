"""How a command answers: results, tables and lines on stdout, messages on stderr, the exit status of a difference."""

import os
import re
import sys

from dominoperf.errors import LONGEST, BadUsage, joined_with, shortened, without_control_characters

DIFFERS = 1  # exit status where something differs from what it should be
_MADE_BY = {  # tables that not every answer has, and how to have them
    "inverse": "--inverse Y makes it",
    "ratio": "--compare OPTIONS makes it",
    "upgrades": "--target USERS makes it",
    "risk": "A request that names a system has it",
}
_HEADS = re.compile(r"^.+(?=\n *-+(?: +-+)*$)", re.MULTILINE)  # of tables, above their line
_FIRST_WORD = re.compile(r"^(note|dominoperf[^:]*):")  # of a message
_BOLD, _RED = 1, 31
_LONGEST = LONGEST + 100  # characters of a message, with the words between its parts


def print_text(text, *, end="\n"):
    """Print; to a terminal, which would obey what is in somebody's data, without control characters, as it fits."""
    if sys.stdout.isatty():
        from dominoperf.tables import rendering

        text = _styled(rendering.wrapped_for_terminal(without_control_characters(str(text))), _HEADS, _BOLD, sys.stdout)
    print(text, end=end)


def print_message(text):
    """Print a message on stderr, always without control characters, and never as long as a file."""
    text = shortened(without_control_characters(text), _LONGEST)
    print(_styled(text, _FIRST_WORD, _BOLD if text.startswith("note") else _RED, sys.stderr), file=sys.stderr)


def _styled(text, parts, style, stream):
    """A text some of whose parts are bold or red, on a terminal that has both, unless its user sets NO_COLOR."""
    plain = not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return text if plain else parts.sub(rf"\033[{style}m\g<0>\033[0m", text)


def print_notes(notes):
    """Print on stderr what is worth knowing of an answer, and no mistake."""
    for note in notes:
        print_message(f"note: {note}")


def print_errata_notes(result):
    """Print on stderr which suspected errata touch a frame or a result, and in a line that certain ones are applied."""
    from dominoperf.tables import carried_errata

    errata = carried_errata.distinct_errata(carried_errata.errata_of(result))
    print_notes(carried_errata.erratum_in_a_line(each) for each in errata if each.status in ("suspected", "reread"))
    if applied := [each.mistake for each in errata if each.status == "certain"]:
        more = f" And {len(applied) - 1} more." if len(applied) > 1 else ""
        print_notes([f"cells are corrected by certain errata: {applied[0].removesuffix('.')}.{more}"])


def print_table(frame, arguments):
    """Print a table in the format that was asked for."""
    from dominoperf.tables import rendering

    print_errata_notes(frame)
    print_text(rendering.FORMATS[arguments.format](frame), end="")


def print_lines(frame, line, arguments):
    """A line for each row, or the frame in another format."""
    if arguments.format == "text":
        for row in frame.itertuples():
            print_text(line(row))
    else:
        print_table(frame, arguments)


def print_result(result, arguments, frames=None, shown=(), notes=None):
    """Print a result: as JSON with all its frames, in words with the `shown` ones that have rows, or one frame.

    `frames` are what makes each, by name, the first for CSV: ``tidy`` and ``glance`` where it has no others. `notes`
    has by name what is said below a frame in words.
    """
    from dominoperf.tables import rendering

    notes = notes or {}
    frames = frames or {"tidy": result.tidy, "glance": result.glance}
    if arguments.show and arguments.show not in frames:
        remedy = f"{_MADE_BY.get(arguments.show, 'This answer has none')}; or leave --show out."
        found = f"an answer with {joined_with('and', list(frames))}"
        raise BadUsage("--show", expected=f"an answer with {arguments.show}", found=found, remedy=remedy)
    if arguments.show or arguments.format != "text":  # the words have them
        print_notes(getattr(result, "notes", ()))
    if arguments.show or arguments.format not in ("json", "text"):
        print_table(frames[arguments.show or next(iter(frames))](), arguments)  # which tells its own errata
        if arguments.format == "text" and (note := notes.get(arguments.show)):
            print_text(f"\n{note}", end="")
        return
    print_errata_notes(result)
    if arguments.format == "json":
        print_text(rendering.as_json_of({name: make() for name, make in frames.items()}), end="")
        return
    tables = [rendering.Table(make(), note=notes.get(name, "")) for name, make in frames.items() if name in shown]
    print_text("\n".join([str(result), *(str(table) for table in tables if len(table.frame))]), end="")
