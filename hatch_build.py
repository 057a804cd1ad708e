"""Put data and notebooks into the wheel, where the installed package looks for them.

Only into a standard wheel: an editable install reads the checkout, and a copy would go stale.
"""

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """Adds ``data/`` and ``notebooks/`` as ``dominoperf/_data`` and ``dominoperf/_notebooks``, and the citation."""

    def initialize(self, version, build_data):
        """Tell hatchling of them."""
        if version == "standard":
            folders = {"data": "dominoperf/_data", "notebooks": "dominoperf/_notebooks"}
            build_data["force_include"] |= folders | {"CITATION.cff": "dominoperf/CITATION.cff"}
