"""``python -m dominoperf.tables``: generate the descriptors of our data, or with ``--check`` say which are stale."""

import sys

from dominoperf.tables.generating import main

sys.exit(main(sys.argv[1:]))
