"""Test the statistics of a trial against direct enumeration, and the error rates in many simulated trials."""

import random
from itertools import combinations

import pytest

from benchmarks.trial import simulate
from orchestrator.tuning.trial.statistics import (
    ALPHA,
    Pairs,
    can_decide,
    compare,
    compute_last_level,
    compute_level,
    compute_noise_floor,
    compute_tails,
    decide,
    estimate_interval,
    find_rounds_needed,
    is_harmless,
    list_analyses,
)


def make_pairs(task, before, after):
    return Pairs(task, tuple(result == "1" for result in before), tuple(result == "1" for result in after))


def test_permutation_test_equals_full_enumeration():
    pairs = [make_pairs("a", "100", "110"), make_pairs("b", "0", "1")]
    as_good, as_bad, all_ways = 0, 0, 0
    for selection in combinations([1, 0, 0, 1, 1, 0], 3):
        for single_result in ([0], [1]):
            all_ways += 1
            as_good += sum(selection) + sum(single_result) >= 3
            as_bad += sum(selection) + sum(single_result) <= 3
    assert compute_tails(pairs) == pytest.approx((as_good / all_ways, as_bad / all_ways))


def test_all_analyses_together_keep_the_error_rate():
    for rounds in (2, 3, 5, 10, 50):
        assert sum(compute_level(analysis, rounds) for analysis in list_analyses(rounds)) == pytest.approx(ALPHA)
        assert list_analyses(rounds)[-1] == rounds
        cut = list_analyses(rounds)[0]
        assert compute_last_level(cut, rounds) == ALPHA  # No error rate was spent before, and no analysis follows.


def test_trial_stopped_between_analyses_uses_the_remaining_level():
    spent = sum(compute_level(analysis, 9) for analysis in list_analyses(9) if analysis < 5)
    assert compute_last_level(5, 9) == pytest.approx(ALPHA - spent)


def test_compare_calls_full_success_better_and_none_worse():
    better_pairs = [make_pairs(str(n), "000", "111") for n in range(4)]
    worse_pairs = [make_pairs(str(n), "111", "000") for n in range(4)]
    assert compare(better_pairs, ALPHA).verdict == "better"
    assert compare(worse_pairs, ALPHA).verdict == "worse"


def test_trial_ends_when_it_is_decided():
    pairs = [make_pairs(str(n), "000", "111") for n in range(8)]
    finding, reason = decide(pairs, 3, 9)
    assert (finding.verdict, reason) == ("better", "decided after 3 of 9 rounds")


def test_compare_needs_more_than_one_improved_task():
    pairs = [make_pairs("a", "0" * 20, "1" * 20), *(make_pairs(str(n), "01" * 10, "01" * 10) for n in range(5))]
    assert compute_tails(pairs)[0] < ALPHA
    assert compare(pairs, ALPHA).verdict == "not known"


def test_interval_is_computed_over_tasks():
    interval = estimate_interval([0.0, 0.2, 0.4, 0.6], 0.95)
    assert interval.mean == pytest.approx(0.3)
    assert 0 <= interval.low < 0.3 < interval.high <= 0.6


def test_noise_floor_compares_before_with_itself():
    assert compute_noise_floor([make_pairs("a", "1111", "0000")]) == 0
    assert compute_noise_floor([make_pairs("a", "1", "0")]) is None
    coin = [make_pairs(str(n), "0101", "1111") for n in range(5)]
    draw = random.Random(1)
    differences = sorted(abs(sum(draw.choice((-1, 0, 0, 1)) for _ in range(20))) for _ in range(4_000))
    assert compute_noise_floor(coin) == pytest.approx(differences[3_800], abs=1.2)


def test_trial_ends_when_no_further_run_can_decide():
    assert not can_decide([make_pairs("a", "0", "0")], 1, ALPHA)
    assert can_decide([make_pairs(str(n), "0", "1") for n in range(4)], 2, ALPHA)
    finding, reason = decide([make_pairs(str(n), "01", "10") for n in range(3)], 2, 3)
    assert finding.verdict == "not known"
    assert "further rounds cannot decide the result" in reason
    # Two runs of one task can never decide, but they are run anyway.
    assert decide([make_pairs("a", "0", "0")], 1, 2)[1] == ""


def test_decide_stops_if_the_cost_limit_leaves_too_few_runs():
    equal_pairs = [make_pairs(str(n), "01", "10") for n in range(4)]
    assert decide(equal_pairs, 2, 5)[1] == ""
    assert decide(equal_pairs, 2, 5, payable=3)[1] == ""
    assert (
        decide(equal_pairs, 2, 5, payable=1)[1] == "after 2 of 5 rounds, the cost limit leaves too few runs to decide"
    )


def test_find_rounds_needed_by_number_of_tasks():
    assert find_rounds_needed(1) == 4
    assert find_rounds_needed(3) == 2


@pytest.mark.parametrize(
    ("before", "after", "floor", "verdict", "is_kept"),
    [(10, 9, 0.0, "not known", True), (10, 8, 0.0, "not known", False), (10, 8, 2.0, "not known", True),
     (10, 9, 5.0, "worse", False), (3, 9, 0.0, "better", True)],
)  # fmt: skip
def test_is_harmless_accepts_a_loss_within_the_noise(before, after, floor, verdict, is_kept):
    assert is_harmless(before, after, floor, verdict) is is_kept


def test_equal_versions_are_rarely_called_better():
    verdicts = [simulate(seed, tasks=6, rounds=3, gain=0.0) for seed in range(100)]
    assert verdicts.count("better") <= 5
    assert verdicts.count("worse") <= 5


def test_large_gain_is_usually_found():
    verdicts = [simulate(seed, tasks=6, rounds=4, gain=0.6) for seed in range(30)]
    assert verdicts.count("better") >= 24
    assert verdicts.count("worse") == 0
