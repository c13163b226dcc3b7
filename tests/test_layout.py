"""Imports go one way: no module imports itself by way of others. `lint-imports` checks the layers."""

import grimp


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other: whoever reaches a module that reaches it."""

    def reached(module: str) -> set[str]:
        found, todo = set[str](), [module]
        while todo:
            todo += (new := imports.get(todo.pop(), set()) - found)
            found |= new
        return found

    all_reached = {module: reached(module) for module in imports}
    found = []
    for module in sorted(imports):
        circle = {other for other in all_reached[module] if module in all_reached.get(other, ())}
        if len(circle) > 1 and circle not in found:  # a package names modules of its own
            found.append(circle)
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports under TYPE_CHECKING count: they too say who knows whom."""
    folders = ("denoise_scrapy", "benchmarks", "docs", "evaluation", "example_project", "training")
    graph = grimp.build_graph(*folders, exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert circles(imports) == []
