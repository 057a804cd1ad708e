"""Callbacks and widgets of the interactive notebook, testable without a browser."""
