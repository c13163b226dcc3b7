"""The page on architecture has every folder of the package, at its size, and the files that a call crosses."""

from docs.folders import CALLS, FOLDERS, PACKAGE, calls, folders, written

APART = 0.05  # of a figure: a folder may grow by so much before `make renew` is due


def test_folders_are_listed_at_their_size() -> None:
    on_page = written(FOLDERS)
    assert {f"`{path.parent.name}/`" for path in PACKAGE.glob("*/__init__.py")} <= {row[0] for row in on_page}
    for now, before in zip(folders(), on_page, strict=True):
        for new, old in zip(now[1:3], before[1:3], strict=True):
            number, listed = (int(one.replace(",", "")) for one in (new, old))
            assert abs(number - listed) <= max(1, APART * number), f"{now}, listed as {before}: make renew"


def test_calls_cross_as_many_files_as_listed() -> None:
    assert calls() == written(CALLS), "make renew"
