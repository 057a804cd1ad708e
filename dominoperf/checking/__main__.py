"""``python -m dominoperf.checking``: generate the descriptors of our data, or with ``--check`` say which are stale."""

import sys

from dominoperf.checking.generating import main

sys.exit(main(sys.argv[1:]))
