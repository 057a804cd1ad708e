from .fits import picture as picture
from .fits import plot as plot
from .fits import residuals as residuals
from .fits import small as small
from .load_tests import run_words as run_words
from .marks import dots as dots
from .marks import points as points
from .marks import shares as shares
from .marks import tornado as tornado
from .pictures import Picture as Picture

OKABE_ITO: tuple[str, ...]
