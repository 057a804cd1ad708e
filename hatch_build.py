"""Put data and notebooks into the wheel, where the installed package looks for them.

Only into a standard wheel: an editable install reads the checkout, and a copy would go stale.
"""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """Adds ``data/`` and ``notebooks/`` as ``dominoperf/_data`` and ``dominoperf/_notebooks``, citation and licence."""

    def initialize(self, version, build_data):
        """Tell hatchling of them."""
        if version == "standard":
            for name in ("CITATION.cff", "LICENSE"):
                build_data["force_include"][name] = f"dominoperf/{name}"
            for folder in ("data", "notebooks"):
                for path in sorted(Path(self.root, folder).rglob("*")):  # what editors hide there stays where it is
                    inner = path.relative_to(self.root)
                    if path.is_file() and not any(part.startswith((".", "__")) for part in inner.parts):
                        build_data["force_include"][str(path)] = f"dominoperf/_{inner.as_posix()}"
