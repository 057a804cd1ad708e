"""The samples of JMeter's results in XML, a block at a time, in the columns of its results in CSV.

Form: the manual of JMeter (`httpSample` and `sample` in `testResults`), and results that others have published. A
sample that is part of another is an element within it: a redirect or an embedded resource of its request, and with
"Generate parent sample" a request of its transaction.
"""

import itertools
import re
from xml.parsers import expat

import pandas as pd

from dominoperf.loadtests.readers.per_second import numbers_of_cells, pieces_of_file

TRANSACTION = "Number of samples in transaction"  # JMeter: the sum of other samples
_BLOCK = 8 << 20  # bytes of a file whose samples are in memory at once
_SAMPLES = ("httpSample", "sample")
_NUMBERS = {"ts": "timeStamp", "t": "elapsed", "na": "allThreads", "by": "bytes"}
_TEXTS = {"s": "success", "rm": "responseMessage", "tn": "threadName", "lb": "label"}
_NEEDED = ("ts", "t", "s")
_DEEPEST = 100  # elements within each other
_XML = re.compile(  # after what may stand before the first element
    r"\s*(?>(?:<\?.*?\?>|<!--.*?-->)\s*)*+<(?:!DOCTYPE\s+)?testResults\b", re.DOTALL
)
_CUT = [expat.errors.codes[message] for message in (
    expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN, expat.errors.XML_ERROR_PARTIAL_CHAR,
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION)]  # fmt: skip


def has_jmeter_xml(head):
    """Return whether a file begins as JMeter's results in XML do."""
    return bool(_XML.match("\n".join(head.lines)))


def blocks_of_jmeter_xml(source):
    """Yield the lines on which the samples of each block begin, and their cells.

    The column `part` says which are sub-samples: those within a sample that is no transaction. As in CSV, which has
    sub-samples of the samples that it logs and no others, those further inside tell no users.

    An entity is nothing that JMeter writes, and could be a file of this machine or fill its memory, so a file that
    declares a document type is refused. Raises `BadTable` there, where the XML is not that of JMeter's results, and of
    tags that are longer than a block or too deep in each other.
    """
    parser, rows, around, names, depth = expat.ParserCreate(), [], [], [], 0  # around: whether each is a transaction

    def begin(tag, attributes):
        nonlocal depth, names
        if not depth and tag != "testResults":
            remedy = "Give the file as JMeter wrote it, or name another reader."
            raise source.wrong(parser.CurrentLineNumber, "results of JMeter: testResults", f"XML of {tag}", remedy)
        depth += 1
        if depth > _DEEPEST:
            expected = f"at most {_DEEPEST} elements within each other"
            raise source.wrong(parser.CurrentLineNumber, expected, "more", "Look at it.")
        if tag not in _SAMPLES:
            return
        if not names:
            names = [name for name in _NUMBERS | _TEXTS if name in attributes]
            if missing := [name for name in _NEEDED if name not in names]:
                expected, remedy = "a sample with ts, t and s", "Have JMeter save time, elapsed time and success."
                raise source.wrong(parser.CurrentLineNumber, expected, f"none of {', '.join(missing)}", remedy)
        part = not all(around)
        cells = [attributes.get(name) or None for name in names]
        if part and len(around) > 1 and "na" in names:
            cells[names.index("na")] = None
        rows.append((parser.CurrentLineNumber, part, *cells))
        around.append(attributes.get("rm", "").startswith(TRANSACTION))

    def end(tag):
        nonlocal depth
        depth -= 1
        if tag in _SAMPLES:
            around.pop()

    def refuse(*_):
        remedy = "JMeter writes none: leave the line out if you know where the file is from."
        raise source.wrong(parser.CurrentLineNumber, "results of JMeter", "a document type (<!DOCTYPE)", remedy)

    parser.StartElementHandler, parser.EndElementHandler, parser.StartDoctypeDeclHandler = begin, end, refuse
    size, given = 0, 0
    for piece in itertools.chain(pieces_of_file(source), [b""]):
        ended, given, size = not piece, given + len(piece), size + len(piece)
        try:
            parser.Parse(piece, ended)
        except expat.ExpatError as error:
            ended = source.cut = True
            told = f"no XML from here on ({expat.ErrorString(error.code)}); the samples before it are read"
            if error.code in _CUT:
                told = "no end of testResults, so the file may be cut off here; the samples before it are read"
            source.notes.add("cut", error.lineno, told)
        except (LookupError, ValueError) as error:  # of the encoding that the first line names
            raise source.wrong(1, "XML in UTF-8", str(error), "Save it in UTF-8, and say so in this line.") from error
        if not ended and given - max(parser.CurrentByteIndex, 0) > _BLOCK:
            expected = f"tags of at most {_BLOCK:,} bytes"
            raise source.wrong(parser.CurrentLineNumber, expected, "a longer one", "Look at it.")
        if rows and (ended or size >= _BLOCK):
            frame = pd.DataFrame(rows, columns=["line", "part", *names])
            for name in names:
                cells = frame[name]
                frame[name] = cells.astype("category") if name in _TEXTS else numbers_of_cells(cells)
            yield frame.pop("line").to_numpy(), frame.rename(columns=_NUMBERS | _TEXTS)
            rows, size = [], 0
        if ended:
            return
