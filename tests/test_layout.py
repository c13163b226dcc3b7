"""Imports go one way: no module imports itself by way of others. `lint-imports` checks the layers."""

import grimp

# Circles that are being removed: beginnings of the names of modules that may be in one.
KNOWN = ("denoise_scrapy.crawl.", "denoise_scrapy.settings", "denoise_scrapy.item_fields")


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
        if circle and circle not in found:
            found.append(circle)
    return found


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports under TYPE_CHECKING count: they too say who knows whom."""
    graph = grimp.build_graph("denoise_scrapy", exclude_type_checking_imports=False, cache_dir=None)
    imports = {module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules}
    assert [sorted(one) for one in circles(imports) if not all(name.startswith(KNOWN) for name in one)] == []


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
