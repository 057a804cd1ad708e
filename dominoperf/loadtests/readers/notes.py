"""What a reader has to say of a file besides its rows: gaps, clocks set back, lines left out."""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")  # what a terminal would obey, in a name of the file
LIMIT = 10  # notes of one kind: a file with a gap at every line is not told gap by gap


class Notes:
    """Sentences with their line, each told once; of one kind the first ten, then how many more."""

    def __init__(self):
        self._told, self._new, self._more = set(), [], {}

    def add(self, kind, line, text):
        """Note `text` at a line; `kind` is what the further ones are counted as."""
        sentence = _CONTROL.sub(" ", f"line {line}: {text}" if line else text)
        if (kind, sentence) in self._told:
            return
        if sum(each == kind for each, _ in self._told) < LIMIT:
            self._told.add((kind, sentence))
            self._new.append(sentence)
        else:
            self._more[kind] = (self._more.get(kind, (0, 0))[0] + 1, line)

    def take(self, *, last=False):
        """Return the sentences since the last call; at the end of the file also how many were not told."""
        new, self._new = self._new, []
        if last:
            new += [f"{kind}: {count} more, the last at line {line}" for kind, (count, line) in self._more.items()]
        return new
