"""What is started as a worker may be no Python, and what it answers no result: items pass, and the crawl ends."""

import os
import pickle
import signal
import sys
import zipapp
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.crawl import workers
from denoise_scrapy.support import storage
from denoise_scrapy.worker import worker
from denoise_scrapy.worker.extractor import Known
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.test_workers import CRAWL, children_of
from tests.crawl.web import Web, article, sentence
from tests.processes import ROOT, Forked, run_in, run_python, wait_until

if sys.platform != "linux":
    pytest.skip("looks at programs in /proc", allow_module_level=True)

PAGES = 6
#: A process that says what a worker says at its start, and answers each list of jobs with the same bytes.
LIAR = """
import os, socket
os.write({link}, {hello!r})
with socket.socket(fileno={link}) as link:
    link.recv(1 << 20)
    link.sendall({ready!r})
    while link.recv(1 << 20):
        link.sendall({answer!r})
"""


class Unreadable:
    """What raises an error when it is unpickled."""

    def __reduce__(self) -> Any:
        return int, ("no number",)


def framed(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + data


ANSWERS = {
    "no pickle": framed(b"no pickle"),
    "a pickle that raises": framed(pickle.dumps(Unreadable())),
    "a long one": (2**60).to_bytes(8, "little") + b"x" * 99,
    "no list": worker.pack(7),
    "none": worker.pack(None),
    "a dict": worker.pack({"number": 1}),
    "no results": worker.pack(["result"]),
    "too short": worker.pack([(1, None)]),
    "a number of no job": worker.pack([(10**9, None, "")]),
    "a number that is none": worker.pack([("1", None, ""), ([], None, "")]),
    "a result twice": worker.pack([(1, None, ""), (1, None, "")]),
    "a traceback of no error": worker.pack([(1, "value", "Traceback: …")]),
    "a result of another method": worker.pack([(1, Known(1, 1), "")]),
    "half of a message": worker.pack([(1, b"x" * 999, "")])[:500],
    "no results for ever": worker.pack([]),
    "nothing": b"",
}


def crawl_pages(web: Web, **settings: Any) -> Crawl:
    """Crawl some pages; each must have its own text."""
    web.pages = {f"/a/{n}": article(n) for n in range(PAGES)}
    done = crawl(spider_of(*map(web, web.pages)), {"DENOISE_COMPARISON_SHARE": 0, "DENOISE_WORKERS": 1, **settings})
    assert all(sentence(n) in done.bodies()[web(f"/a/{n}")] for n in range(PAGES))
    assert (len(done.items), done.stat("errors"), done.stat("body/fallback/worker_died")) == (PAGES, 0, 0)
    return done


def start_liars(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    """Start processes that answer nothing else."""
    program = LIAR
    for name, value in {"hello": worker.pack(worker.HELLO), "ready": worker.pack(True), "answer": answer}.items():
        program = program.replace(f"{{{name}!r}}", repr(value).replace("{", "{{").replace("}", "}}"))
    monkeypatch.setattr(worker, "_PROGRAM", program)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_worker_whose_answers_are_none_is_ended(answer: bytes, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "TICK", 0.05)
    monkeypatch.setattr(workers, "STOPPED", workers.SILENT - 1)  # on a busy machine it takes seconds to begin
    start_liars(monkeypatch, answer)
    done = crawl_pages(web)
    assert done.stat("workers/died") > 0
    assert len(done.lines("A worker died: it answered no")) == 1


@pytest.mark.parametrize("sizes", [{"a": "b"}, {1: None}, 7, ValueError("a lie")], ids=repr)
def test_a_lie_at_the_end_keeps_no_crawl_from_it(sizes: Any, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    call = workers.Worker.call

    async def lie(self: workers.Worker, name: str, *args: Any, **more: Any) -> Any:
        if name == "sizes" and isinstance(sizes, Exception):
            raise sizes
        return sizes if name == "sizes" else await call(self, name, *args, **more)

    monkeypatch.setattr(workers.Worker, "call", lie)
    done = crawl_pages(web)
    assert done.stat("memory/bytes") and done.stat("workers/started") == 1


def test_a_crawl_whose_workers_only_lie_does_without(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.0)
    start_liars(monkeypatch, ANSWERS["none"])
    web.seconds = 0.2
    done = crawl_pages(web, CONCURRENT_REQUESTS=1)
    assert done.stat("workers/died") == workers.MOST_MISFITS
    assert len(done.lines("own process: a worker answered nonsense (DENOISE_WORKERS = 0 does without workers).")) == 1


@pytest.mark.parametrize("program", ["exit 0", "exit 1", "sleep 600", "kill -STOP $$", "cat"])
def test_a_program_that_does_not_start_as_python_is_started_once(
    program: str, web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "TICK", 0.05)
    monkeypatch.setattr(worker, "python", lambda: str(tmp_path / "other"))
    (tmp_path / "other").write_text(f"#!/bin/sh\necho >>{tmp_path}/starts\n{program}\n")
    (tmp_path / "other").chmod(0o755)
    before = children_of(os.getpid())
    done = crawl_pages(web)
    assert (tmp_path / "starts").read_text() == "\n"
    assert len(done.lines(f"WARNING Pages are extracted in the crawl's own process: {tmp_path}/other does not")) == 1
    assert children_of(os.getpid()) == before


def test_what_is_no_python_is_never_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, program = worker.python(), tmp_path / f"bin/python3.{sys.version_info[1]}{sys.abiflags}"
    assert Path(own).samefile(sys.executable)
    for executable in ("", None, str(tmp_path), "/bin/true"):
        monkeypatch.setattr(sys, "executable", executable)
        assert worker.python() == own
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert Path(worker.python()).samefile(own), "the installation's, if the environment has none"
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    program.mkdir(parents=True)
    with pytest.raises(worker.NoPythonError):
        worker.python()
    program.rmdir()
    for content, mode in ((b"#!/bin/sh\nexit 7\n", 0o755), (Path("/bin/true").read_bytes(), 0o644)):
        program.write_bytes(content)
        program.chmod(mode)
        with pytest.raises(worker.NoPythonError, match="there is no Python to start workers with"):
            worker.python()
    program.chmod(0o755)
    assert worker.python() == str(program)


def test_a_frozen_program_starts_none(monkeypatch: pytest.MonkeyPatch, web: Web) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    (line,) = crawl_pages(web).lines("Pages are extracted in the crawl's own process: there is no Python")
    assert " WARNING " in line, "a setting asked for workers"
    monkeypatch.setattr(workers, "_wanted", lambda asked: (1, 2))
    (line,) = crawl_pages(web, DENOISE_WORKERS="auto").lines("Pages are extracted in the crawl's own process: ")
    assert " INFO " in line


def test_a_crawl_in_a_process_that_was_started_for_a_worker_ends_it(web: Web, tmp_path: Path) -> None:
    web.pages = {"/a/0": article(0)}
    script = f"print('begun', flush=True)\n{CRAWL}"
    done = run_python(tmp_path, ["-c", script, web("/a/0")], **{worker._MARK: "1"})
    assert (done.returncode, done.stdout[:6], web.asked) == (1, "begun\n", [])
    assert "Enabled addons" not in done.stdout


def test_a_crawl_ends_after_one_interrupt_while_its_worker_is_silent(web: Web, tmp_path: Path) -> None:
    before = "import sys; from denoise_scrapy.crawl import workers; workers.TICK = 0.1"
    program = PROGRAM.format(before=before, strategy="tests.crawl.strategies.Harmful")
    web.pages["/once-silent"] = article(0)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "REACHED": str(tmp_path)}
    log = tmp_path / "log"
    process = Forked(["-c", program, web("/once-silent")], tmp_path, environment, out=log, err=log)
    wait_until((tmp_path / "once-silent").exists)
    process.send_signal(signal.SIGINT)
    process.wait()
    said = log.read_text("utf-8")
    assert "'denoise/body/items': 1" in said and "'denoise/workers/died': 1" in said and "worker_died" not in said


SHADOWING = "types json re operator os struct socket pickle linecache signal sitecustomize usercustomize numpy".split()


PROGRAM = """
from scrapy.crawler import CrawlerProcess
from tests.crawl.crawling import BASE, spider_of
{before}
process = CrawlerProcess({{**BASE, "DENOISE_STRATEGY": "{strategy}", "DENOISE_WORKERS": 1}})
process.crawl(spider_of(*sys.argv[1:]))
process.start()
"""


def check_program(arguments: list[str], folder: Path, web: Web) -> None:
    """Run a program that crawls: its worker works, and nothing is to be said."""
    web.pages = {f"/a/{n}": article(n) for n in range(3)}
    environment = {**os.environ, "PYTHONPATH": "" if "-c" in arguments else str(ROOT)}
    done = run_in(folder, [sys.executable, *arguments, *map(web, web.pages)], environment)
    assert "'denoise/workers/started': 1" in done.stdout and "'denoise/body/items': 3" in done.stdout, done.stdout
    assert "[denoise_scrapy.crawl.parts] WARNING" not in done.stdout and "workers/died" not in done.stdout, done.stdout


@pytest.mark.parametrize("flags", [[], ["-I"]], ids=str)
def test_a_worker_imports_nothing_from_the_working_folder(flags: list[str], web: Web, tmp_path: Path) -> None:
    """Nor is a module of the project hidden by ours: it may have the strategy."""
    for name in SHADOWING:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r} + chr(10))")
    (tmp_path / "ours.py").write_text("from tests.crawl.strategies import Harmful")
    script = f"import sys; sys.path[:] = [place for place in sys.path if place] + [{str(ROOT)!r}]\n"
    script += PROGRAM.format(before="import denoise_scrapy.addon; sys.path.insert(0, '')", strategy="ours.Harmful")
    check_program([*flags, "-c", script], tmp_path, web)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("way", ["gevent", "zipapp"])
def test_programs_of_other_kinds_have_workers(way: str, web: Web, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    patched = "from gevent import monkey; monkey.patch_all()\n" if way == "gevent" else ""
    program = patched + "import sys\n" + PROGRAM.format(before="", strategy="tests.crawl.strategies.Harmful")
    (tmp_path / "app/__main__.py").write_text(program)
    zipapp.create_archive(tmp_path / "app", tmp_path / "app.pyz")
    check_program(["app.pyz" if way == "zipapp" else "app"], tmp_path, web)
