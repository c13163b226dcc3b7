"""The gate of the worst page: it fails where one takes too long, and not for a slow moment."""

import sys

import pytest

from benchmarks import worst
from benchmarks.clock import NUMPY
from benchmarks.corpora import portal
from benchmarks.sample import SampledSite
from benchmarks.turns import Turn

SITES = [SampledSite("portal", 0, portal()[:2]), SampledSite("portal", 1, portal()[2:3])]


def turn(site, page, parses):
    return Turn("portal", site, page, 100, 0.001, 0.001 * parses)


def test_pages_above_the_limit_are_taken_again_with_their_site(monkeypatch):
    asked, passes = [], iter([[turn(0, 0, 3), turn(0, 1, 70), turn(1, 0, 60)], [turn(0, 0, 5), turn(0, 1, 9)]])
    later = [turn(0, 1, 80), turn(1, 0, 55)]

    def in_turn(known, facts, k, way, repetitions):
        asked.append([site.number for site in known])
        return [t for t in next(passes, later) if t.site in asked[-1]]

    monkeypatch.setattr(worst, "in_turn", in_turn)
    found = {worst.key(t): t.parses for t in worst.measured(SITES, NUMPY)}
    assert asked == [[0, 1], [0, 1], [1], [1]]
    assert found == pytest.approx({("portal", 0, 0): 3, ("portal", 0, 1): 9, ("portal", 1, 0): 55})


@pytest.mark.parametrize(("parses", "gate", "status"), [(49, True, 0), (51, True, 1), (51, False, 0)])
def test_the_command_fails_with_the_gate(parses, gate, status, monkeypatch, capsys):
    monkeypatch.setattr(worst, "measured", lambda known, way: [turn(0, 7, parses)])
    monkeypatch.setattr(sys, "argv", ["worst", *(["--gate"] if gate else [])])
    monkeypatch.delenv("DENOISE_CORPORA", raising=False)
    assert worst.main() == status
    assert ("numpy: portal, site 0, page 7 takes more than 50 parses" in capsys.readouterr().out) == (parses > 50)
