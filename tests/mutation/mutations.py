"""Which wrong laws are made from a right one: small edits of a module's syntax tree.

Swapping old and new, dropping a term, losing a sign are the mistakes a delta rule is prone to; losing an operator,
moving a slice and bending a condition are those of the passes around the rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

_OTHER_VERSION = {"old": "new", "new": "old", "OLD": "NEW", "NEW": "OLD"}
_WRAPPERS = ("Consolidate", "Distinct", "Filter", "SemiJoin", "Restrict", "restrict")
"""Operators and passes whose first argument has the same columns."""
_OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
_TERMS = ("UnionAll", "InnerJoin")
Edit = tuple[str, ast.expr]


@dataclass(frozen=True)
class Mutant:
    """One edit of one module."""

    module: str
    function: str
    kind: str
    change: str
    line: int
    source: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is called in the list of argued mutants; lines move, this stays."""
        return self.module.rpartition(".")[2], self.function, self.kind, self.change


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def _versions(node: ast.expr) -> Iterator[Edit]:
    """Old for new, and new for old."""
    swapped = deepcopy(node)
    if isinstance(swapped, ast.Attribute) and swapped.attr in _OTHER_VERSION:
        swapped.attr = _OTHER_VERSION[swapped.attr]
        yield "swap old and new", swapped
    if isinstance(swapped, ast.Name) and swapped.id in _OTHER_VERSION and isinstance(swapped.ctx, ast.Load):
        swapped.id = _OTHER_VERSION[swapped.id]
        yield "swap old and new", swapped


def _stale(node: ast.expr) -> Iterator[Edit]:
    """A state where the change belongs."""
    if isinstance(node, ast.Attribute) and node.attr == "DELTA":
        for stale in ("OLD", "NEW"):
            yield "state for change", ast.Attribute(node.value, stale, node.ctx)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "delta":
        for stale in ("old", "new"):
            yield "state for change", ast.Call(ast.Attribute(node.func.value, stale, ast.Load()), node.args, [])


def _nothing(node: ast.expr) -> Iterator[Edit]:
    """A relation where nothing belongs."""
    if isinstance(node, ast.Call) and _called(node) == "Empty" and isinstance(node.args[0], ast.Attribute):
        yield "state for change", node.args[0].value


def _signs(node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and _called(node) == "Negate":
        yield "lose a sign", node.args[0]


def _operators(node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and _called(node) in _WRAPPERS:
        yield f"lose {_called(node)}", node.args[0]


def _sliced(node: ast.expr, lower: int | None, upper: int | None) -> ast.expr:
    ends = [None if i is None else ast.Constant(i) for i in (lower, upper)]
    return ast.Subscript(node, ast.Slice(ends[0], ends[1]), ast.Load())


def _terms(node: ast.expr) -> Iterator[Edit]:
    """An operator over several inputs without one of them."""
    if not isinstance(node, ast.Call) or _called(node) not in _TERMS or not node.args:
        return
    inputs, *rest = node.args
    shorter: list[ast.expr] = []
    if isinstance(inputs, ast.Tuple):
        shorter = [ast.Tuple([e for e in inputs.elts if e is not dropped], ast.Load()) for dropped in inputs.elts]
    elif _called(inputs) == "tuple" or isinstance(inputs, ast.Name):
        shorter = [_sliced(inputs, 1, None), _sliced(inputs, None, -1)]
    for fewer in shorter:
        yield "drop a term", ast.Call(node.func, [fewer, *rest], node.keywords)


def _sums(node: ast.expr) -> Iterator[Edit]:
    """`a + b` of sequences without a or without b; a starred element of a sequence left out."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not isinstance(node.right, ast.Constant):
        yield "drop a term", node.left
        yield "drop a term", node.right
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        for starred in (e for e in node.elts if isinstance(e, ast.Starred)):
            yield "drop a term", type(node)([e for e in node.elts if e is not starred], ast.Load())


def _ranges(node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Call) and _called(node) == "range" and len(node.args) == 1:
        yield "drop a term", ast.Call(node.func, [ast.Constant(1), *node.args], [])
        yield "drop a term", ast.Call(node.func, [ast.BinOp(node.args[0], ast.Sub(), ast.Constant(1))], [])


def _slices(node: ast.expr) -> Iterator[Edit]:
    """A slice that begins or ends one element too early, or at the other side of its bound."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return
    for end in ("lower", "upper"):
        bound = getattr(node.slice, end)
        if bound is not None:
            moved = deepcopy(node)
            setattr(moved.slice, end, ast.BinOp(bound, ast.Sub(), ast.Constant(1)))
            yield "move a slice", moved
    yield "move a slice", ast.Subscript(node.value, ast.Slice(node.slice.upper, node.slice.lower), ast.Load())


def _conditions(node: ast.expr) -> Iterator[Edit]:
    """A comparison turned round, a conjunct left out, a test negated."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        opposite = _OTHER_COMPARISON[type(node.ops[0])]()
        yield "turn a condition", ast.Compare(node.left, [opposite], node.comparators)
    if isinstance(node, ast.BoolOp):
        for dropped in node.values:
            rest = [v for v in node.values if v is not dropped]
            yield "drop a condition", rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "turn a condition", node.operand
    if isinstance(node, ast.IfExp):
        yield "take one branch", node.body
        yield "take one branch", node.orelse
    if isinstance(node, ast.Call) and _called(node) in ("any", "all") and isinstance(node.func, ast.Name):
        other = "all" if node.func.id == "any" else "any"
        yield "turn a condition", ast.Call(ast.Name(other, ast.Load()), node.args, [])


def _comprehensions(node: ast.expr) -> Iterator[Edit]:
    if not isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
        return
    for i, generator in enumerate(node.generators):
        for condition in generator.ifs:
            wider = deepcopy(node)
            wider.generators[i].ifs = [c for c in generator.ifs if c is not condition]
            yield "drop a condition", wider


_EDITS = (
    _versions,
    _stale,
    _nothing,
    _signs,
    _operators,
    _terms,
    _sums,
    _ranges,
    _slices,
    _conditions,
    _comprehensions,
)


class _Reader(ast.NodeVisitor):
    """Collects the expressions that may be edited, with the function they stand in."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.expr, str]] = []
        self.tests: list[tuple[ast.expr, str]] = []
        self._within: list[str] = []

    def _enter(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        self._within.append(node.name)
        for part in node.body:
            self.visit(part)
        self._within.pop()

    visit_FunctionDef = _enter  # noqa: N815 the visitor's names are ast's
    visit_ClassDef = _enter  # noqa: N815 the visitor's names are ast's

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name | ast.Attribute | ast.Call):
            self.tests.append((node.test, ".".join(self._within)))
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """What an error says is no law."""

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr) and self._within:
            self.found.append((node, ".".join(self._within)))
        super().generic_visit(node)


class _Replace(ast.NodeTransformer):
    """Puts one expression in the place of another."""

    def __init__(self, target: ast.expr, replacement: ast.expr) -> None:
        self.target, self.replacement = target, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.target else self.generic_visit(node)


def _edited(tree: ast.Module, target: ast.expr, replacement: ast.expr) -> str:
    """The source with one edit; the tree itself stays as it was."""
    copied = deepcopy(tree)
    places = zip(ast.walk(tree), ast.walk(copied), strict=True)
    place = next(copy for original, copy in places if original is target)
    return ast.unparse(ast.fix_missing_locations(_Replace(place, deepcopy(replacement)).visit(copied)))


def _short(node: ast.expr) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def _edits(tree: ast.Module) -> Iterator[tuple[ast.expr, str, Edit]]:
    reader = _Reader()
    reader.visit(tree)
    for node, function in reader.tests:
        yield node, function, ("turn a condition", ast.UnaryOp(ast.Not(), node))
    for node, function in reader.found:
        for edit in _EDITS:
            yield from ((node, function, edited) for edited in edit(node))


def mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines; edits that give the same source once."""
    tree = ast.parse(source)
    found: dict[str, Mutant] = {}
    for node, function, (kind, replacement) in _edits(tree):
        edited = _edited(tree, node, replacement)
        change = f"{_short(node)} → {_short(replacement)}"
        found.setdefault(edited, Mutant(module, function, kind, change, node.lineno, edited))
    return sorted(found.values(), key=lambda mutant: mutant.line)
