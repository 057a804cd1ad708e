import pathlib

from .reading import READERS as READERS
from .reading import files as files
from .reading import formats as formats
from .reading import read as read
from .reading import read_parts as read_parts
from .reading import recognise as recognise
from .reading import write as write
from .recording import Reader as Reader
from .recording import Recording as Recording
from .recording import reader as reader

def sample() -> pathlib.Path: ...
