"""What an input may come to: a result, or an error in form; anything else is a finding."""

import os
import tempfile
import traceback
import warnings
from pathlib import Path

from dominoperf.errors import DominoperfError

MESSAGE = 2_000  # characters that a message may have: it does not carry the input


def meet(target, data):
    """Hand an input to a target, in an empty folder; a result or an error in form pass, anything else is raised."""
    before = os.environ.get("DOMINOPERF_DATA")
    with tempfile.TemporaryDirectory(prefix="fuzz") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overflow is told by the result
        try:
            target(data, Path(folder))
        except DominoperfError as error:
            check_message(error)
        finally:
            os.environ.pop("DOMINOPERF_DATA", None)
            if before is not None:
                os.environ["DOMINOPERF_DATA"] = before


def check_message(error):
    """See that a message has its four parts, can be printed, and does not repeat the input."""
    for name in ("where", "expected", "found", "remedy"):
        part = getattr(error, name)
        assert isinstance(part, str), f"{name} of a message is {part!r}"
    check_text(str(error))


def check_text(text):
    """See that a line for a user can be printed, and is short."""
    text.encode("utf-8")
    assert len(text) <= MESSAGE, f"a message of {len(text)} characters: {text[:300]}"


def kind_of(error):
    """Give what makes two findings one: the error and the last line of ours that it came through."""
    ours = [each for each in traceback.extract_tb(error.__traceback__) if "dominoperf" in Path(each.filename).parts]
    ours = [each for each in ours if "tests" not in Path(each.filename).parts]
    place = f"{Path(ours[-1].filename).stem}-{ours[-1].name}" if ours else "message"
    return f"{type(error).__name__}-{place}"
