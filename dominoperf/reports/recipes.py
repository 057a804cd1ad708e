"""The code that makes a picture of a notebook: its line, and all that this line needs, to be run by itself."""

import ast

_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def last_line(source):
    """Give the expression that a cell shows, as it is written; of a bare name, the line of the cell that makes it."""
    body = ast.parse(source).body
    if not (body and isinstance(body[-1], ast.Expr)):
        return ""
    makes = [node for node in body[:-1] if isinstance(body[-1].value, ast.Name) and body[-1].value.id in _made(node)]
    return _text(source, (makes or body)[-1])


def recipe(sources, *, shown=-1):
    """Give the statements that the last one of a cell needs, in order: run by themselves they give what the cell shows.

    Parameters
    ----------
    sources : list of str
        The code cells of a notebook, in order.
    shown : int
        Index of the cell whose last statement is asked for.

    Returns
    -------
    str
        Parameters, the names used of each import, and every statement that makes or changes a name that a later one
        of these needs. What is only called for its effect (a saved table) is none of them.
    """
    cells = sources[: shown + 1] if shown >= 0 else sources[: len(sources) + shown + 1]
    statements = [(source, node) for source in cells for node in ast.parse(source).body]
    source, last = statements.pop()
    needed, taken = _read(last), [_text(source, last)]
    for source, node in reversed(statements):
        made, changed = _made(node), _changed(node)
        if not (made | changed) & needed:
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [alias for alias in node.names if _bound(alias) in needed]
            taken.append(ast.unparse(node))
            needed -= made
        else:
            taken.append(_text(source, node))
            needed = (needed - made) | _read(node) | changed
    return "\n".join(reversed(taken))


def _text(source, node):
    """A statement with the words behind it in its last line, which say what a parameter is."""
    return "\n".join(source.split("\n")[node.lineno - 1 : node.end_lineno])


def _bound(alias):
    return alias.asname or alias.name.partition(".")[0]


def _made(node):
    """Names that a statement binds anew."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {_bound(alias) for alias in node.names}
    if isinstance(node, ast.AugAssign):
        return set()
    return {each.id for each in _outside(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _changed(node):
    """Names whose thing a statement changes: ``frame["column"] = ...``, ``words |= ...``."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return {name for target in targets for name in [_base(target, isinstance(node, ast.AugAssign))] if name}


def _base(target, bare):
    within = False
    while isinstance(target, ast.Subscript | ast.Attribute):
        target, within = target.value, True
    return target.id if isinstance(target, ast.Name) and (within or bare) else None


def _outside(node):
    """The nodes of a statement that lie in no scope of their own."""
    yield node
    if not isinstance(node, (*_SCOPES, ast.Lambda)):
        for child in ast.iter_child_nodes(node):
            yield from _outside(child)


def _read(node):
    """Names that a statement takes from outside: not those that a comprehension or a lambda binds itself."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    inner = set().union(*map(_read, ast.iter_child_nodes(node)))
    if isinstance(node, _SCOPES):
        own = {each.id for part in node.generators for each in ast.walk(part.target) if isinstance(each, ast.Name)}
        return (inner - own) | _read(node.generators[0].iter)  # what is gone through first is taken from outside
    if isinstance(node, ast.Lambda):
        return inner - {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    return inner
