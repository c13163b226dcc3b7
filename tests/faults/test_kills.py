"""A crawl that is killed at random moments; `python -m tests.faults.kills` kills it more often."""

from pathlib import Path

import pytest

from tests.faults.kills import run_killed


@pytest.mark.parametrize("seed", [3])
def test_kills_lose_no_story_and_drop_no_item_wrongly(tmp_path: Path, seed: int) -> None:
    trial = run_killed(tmp_path / "trial", kills=3, seed=seed, pages=120)
    assert trial.wrong == []
    assert trial.kills == 3
    assert trial.delivered == trial.stories > 30
