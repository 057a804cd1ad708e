"""Map a function over items on this machine's processors (joblib, loky)."""

import joblib


def pmap(function, items, jobs=None):
    """Yield ``function(item)`` for every item, in the order of completion.

    Parameters
    ----------
    function : callable
        Importable by name, so that another process can find it.
    items : iterable
        One argument each.
    jobs : int, optional
        Processes at once; by default one per processor. One job runs here, without a second process.
    """
    run = joblib.Parallel(n_jobs=jobs or -1, return_as="generator_unordered")
    return run(joblib.delayed(function)(item) for item in items)
