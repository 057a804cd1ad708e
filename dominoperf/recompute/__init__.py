"""Tables recomputed as far as other cells imply them."""

from dominoperf.recompute.pages import pages
from dominoperf.recompute.tables import cells, counts, regenerate

__all__ = ["cells", "counts", "pages", "regenerate"]
