"""``python -m dominoperf.cli``."""

import sys

from dominoperf.cli import main

sys.exit(main())
