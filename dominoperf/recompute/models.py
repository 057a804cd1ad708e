"""Claims that need a model: a function each, named in ``claims.csv`` as ``@name``."""

MODELS = {}
