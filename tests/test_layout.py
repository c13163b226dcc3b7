"""The layout of the code: files and functions one can read at once, no cycle of imports, nothing untold."""

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "denoise_scrapy"
FOLDERS = ("denoise_scrapy", "benchmarks", "example_project", "training")
PYTHON = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
SOURCES = sorted((PACKAGE / "native" / "source").glob("*.[ch]"))
MOST_LINES = 600  # of a file: a whole thought
MOST_FUNCTION_LINES = 50  # of a function, its docstring and the functions inside it apart: one screen
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def span(node: ast.AST) -> range:
    return range(node.lineno, (node.end_lineno or 0) + 1)  # type: ignore[attr-defined]


def own_lines(function: Function) -> int:
    """Lines of a function without its docstring, and without those of functions inside it."""
    lines = set(span(function))
    if ast.get_docstring(function) is not None:
        lines -= set(span(function.body[0]))
    for inner in functions(function):
        if inner is not function:
            lines -= set(span(inner))
    return len(lines)


def too_long(path: Path) -> list[str]:
    """Functions of a file that are too long."""
    tree = ast.parse(path.read_text("utf-8"))
    return [one.name for one in functions(tree) if own_lines(one) > MOST_FUNCTION_LINES]


def cycles(imports: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, by Tarjan's components."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in sorted(imports.get(module, ())):
            if other not in number:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], number[other])
        if low[module] == number[module]:
            start = stack.index(module)
            if len(stack) - start > 1:
                found.append(sorted(stack[start:]))
            del stack[start:]

    for module in sorted(imports):
        if module not in number:
            visit(module)
    return found


def test_files_are_short() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in [*PYTHON, *SOURCES]}
    long = {str(path.relative_to(ROOT)): n for path, n in lines.items() if n > MOST_LINES}
    assert long == {}, "what is a thing of its own in it goes to a file of its own"


def test_functions_are_short() -> None:
    assert {str(path.relative_to(ROOT)): names for path in PYTHON if (names := too_long(path))} == {}


def test_every_file_says_what_it_is() -> None:
    silent = [path for path in PYTHON if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    silent += [path for path in SOURCES if not path.read_text("utf-8").startswith("/*")]
    assert silent == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports for types only do not run."""
    graph = grimp.build_graph("denoise_scrapy", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert cycles(imports) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    path = tmp_path / "long.py"
    body = "    x = 1\n" * MOST_FUNCTION_LINES
    path.write_text(
        f'def long():\n    """Says so."""\n{body}\n\ndef short():\n    def inner():\n        pass\n{body[:-10]}'
    )
    assert too_long(path) == ["long"]
