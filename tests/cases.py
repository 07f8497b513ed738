"""Run the cases of a parametrized test without fixtures as one test, because thousands of tests would take minutes."""

import functools
import inspect
import itertools
import reprlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

Case = tuple[str, dict[str, object]]
"""The name of a case and its arguments."""

_FIXTURES = {"fresh_home", "homes", "monkeypatch", "request", "same_signal_handlers", "tmp_path_factory"}
"""Fixtures that every test has; if a module has other autouse fixtures, each case must be a separate test."""


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> pytest.Function | None:
    """Make one test of all cases of a function, or separate tests if tests are selected by name."""
    is_selected = collector.config.getoption("keyword") or any("[" in word for word in collector.config.args)
    if is_selected or not (
        isinstance(collector, pytest.Module) and inspect.isfunction(obj) and collector.funcnamefilter(name)
    ):
        return None
    marks = getattr(obj, "pytestmark", ())
    if {mark.name for mark in marks} != {"parametrize"} or hasattr(collector.obj, "pytestmark"):
        return None
    lists = [_list_cases(*mark.args, **mark.kwargs) for mark in marks]
    names = [argument for cases in lists for argument in (cases[0][1] if cases else {})]
    if sorted(names) != sorted(inspect.signature(obj).parameters):
        return None
    test_of_all_cases = _join(obj, [*itertools.product(*lists)])
    test = pytest.Function.from_parent(collector, name=name, callobj=test_of_all_cases)
    return test if _FIXTURES.issuperset(test.fixturenames) else None


def _list_cases(names: str | tuple[str, ...], values: Any, *, ids: Any = None, indirect: Any = None) -> list[Case]:
    """Return the cases of a `parametrize` mark, or none if it has special options."""
    words = [word.strip() for word in names.split(",") if word.strip()] if isinstance(names, str) else names
    values, cases, is_single = [*values], [], isinstance(names, str) and len(words) == 1
    if indirect or any(getattr(value, "marks", ()) for value in values):
        return []
    for value, id in itertools.zip_longest(values, ids if isinstance(ids, list | tuple) else ()):
        if hasattr(value, "marks"):  # a `pytest.param`
            arguments, id = value.values, value.id
        else:
            arguments = (value,) if is_single else value
        name = id or reprlib.repr(arguments[0] if is_single else arguments)
        cases.append((str(name), dict(zip(words, arguments, strict=True))))
    return cases


def _join(test: Callable[..., object], cases: list[tuple[Case, ...]]) -> Callable[[], None]:
    """Return a function that runs a test with each case and raises all failures, with the names of their cases."""

    @functools.wraps(test)
    def run() -> None:
        failures = [*_run(test, cases)]
        if len(failures) == 1:
            raise failures[0]
        if failures:
            raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases failed", failures)

    del run.__wrapped__, run.pytestmark  # type: ignore[attr-defined]
    return run


def _run(test: Callable[..., object], cases: list[tuple[Case, ...]]) -> Iterator[BaseException]:
    for parts in cases:
        try:
            test(**{name: value for _, arguments in parts for name, value in arguments.items()})
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised after the last case
            error.add_note(f"in the case {' - '.join(name for name, _ in parts)}")
            yield error
