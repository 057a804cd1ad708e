"""The runs at the highest load that an article reports for a server."""

from dominoperf.runs import benchmarks, table_of


def peak_loads(source="domino6", as_="corrected"):
    """Return the runs of a document's table of peak loads, in the columns of `benchmarks`.

    Parameters
    ----------
    source : str
        Key of the document.
    as_ : {"corrected", "printed", "suspected"}
        As for `benchmarks`.

    Examples
    --------
    >>> peak_loads()["workload"].unique().tolist()
    ['R6Mail', 'R6iNotes', 'R6IMAP', 'R5Mail', 'R5iNotes', 'R5IMAP']
    """
    runs = benchmarks(as_)
    return runs[runs["run"].map(table_of) == f"{source}/peak_load"]
