"""Test runs with many mechanical fixes: their number of scans, the rollback, and a kill in between."""

import pytest

from actions.fixes.invariants import prove
from actions.patterns.pattern import Finding
from actions.scoring.scan import scan
from actions.steps import apply_fix
from orchestrator.run.run import Run
from orchestrator.run.workspace.workspace import Workspace
from schemas.vocabulary import FixStatus, Gate, IssueStatus
from tests.fakes import (
    SKILL_HEADER,
    Listener,
    install_catalogue,
    make_pattern,
    make_strategy,
    replace_word,
    resume_run,
    start_run,
    write_skill,
)
from tests.runs import map_statuses, read_journal


@pytest.fixture(autouse=True)
def catalogue(monkeypatch):
    install_catalogue(
        monkeypatch,
        [make_pattern("AGT-001", "FIXABLE", "correct_fixable"), make_pattern("AGT-002", "RISKY", "correct_risky")],
        [
            make_strategy("correct_fixable", replace_word("FIXABLE", "fixable")),
            make_strategy("correct_risky", replace_word("RISKY", "risky")),
        ],
    )


def build_faulty_lines(count):
    return "".join(f"The FIXABLE number {n} goes by.\n\n" for n in range(count))


def build_faulty_references(count):
    return {f"references__b{n}": f"# Bird {n}\n\nThe RISKY number {n} goes by.\n" for n in range(count)}


def build_links_to_references(count):
    return "".join(f"See [bird {n}](references/b{n}.md).\n" for n in range(count))


def test_twice_the_fixes_need_no_more_scans(tmp_path, monkeypatch):
    scans = []

    def count_scan(*args, **kwargs):
        scans.append(args)
        return scan(*args, **kwargs)

    for module in (apply_fix, prove):
        monkeypatch.setattr(module, "scan", count_scan)
    counts = []
    for size in (30, 60):
        scans.clear()
        skill = write_skill(
            tmp_path / f"s{size}",
            build_faulty_lines(size) + build_links_to_references(size),
            **build_faulty_references(size),
        )
        run = start_run(skill, tmp_path / f"w{size}", apply="all")
        counts.append(len(scans))
        assert run.store.state.quality_gate is Gate.PASS
        assert not any("FIXABLE" in path.read_text() or "RISKY" in path.read_text() for path in skill.rglob("*.md"))
    assert counts[0] == counts[1] <= 4


def test_one_of_several_large_fixes_is_rolled_back_alone(tmp_path, work):
    skill = write_skill(
        tmp_path / "s", build_faulty_lines(30) + build_links_to_references(30), **build_faulty_references(30)
    )
    before = {path: path.read_bytes() for path in skill.rglob("*.md")}
    run = start_run(skill, work, apply="all")
    assert map_statuses(run) == {"FIX-001": "applied", "FIX-002": "applied"}
    assert read_journal(work) == [("FIX-001", "closed"), ("FIX-002", "closed")]
    with run.hold():
        run.roll_back(["FIX-002"])
    assert (skill / "SKILL.md").read_text() == SKILL_HEADER + build_faulty_lines(30).replace(
        "FIXABLE", "fixable"
    ) + build_links_to_references(30)
    assert all(path.read_bytes() == data for path, data in before.items() if path.name != "SKILL.md")
    with run.hold():
        run.roll_back(None)
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == before


def test_many_fixes_are_one_choice(tmp_path, work):
    skill = write_skill(tmp_path / "s", build_faulty_lines(30))
    start_run(skill, work, apply="ask")
    listener = Listener(can_ask=True, choice=("FIX-001",))
    run = resume_run(work, listener)
    (question,) = listener.questions
    (fix,) = question.fixes
    assert fix.description.startswith("30 similar changes in 1 file: Does correct_fixable.")
    assert fix.changes[0].diff.count("\n+The fixable number") == 30
    assert [fix.status for fix in run.store.state.proposed_fixes] == [FixStatus.APPLIED]


@pytest.fixture
def skill_and_files(tmp_path):
    """Return a skill with 30 files, each with a fault, and the bytes of the files."""
    skill = write_skill(tmp_path / "s", build_links_to_references(30), **build_faulty_references(30))
    return skill, {path: path.read_bytes() for path in skill.rglob("*.md")}


def edit_references(skill, *numbers):
    for number in numbers:
        path = skill / f"references/b{number}.md"
        path.write_text(path.read_text().replace("goes by", "flies on"))


def list_fixed(skill):
    return {path.name for path in skill.rglob("b*.md") if "RISKY" not in path.read_text()}


def test_edited_files_are_left_out_of_a_large_fix(skill_and_files, work):
    skill, _ = skill_and_files
    start_run(skill, work, apply="ask")
    edit_references(skill, 3, 7)
    run = resume_run(work, Listener(can_ask=True, choice=("FIX-001",)))
    assert map_statuses(run) == {"FIX-001": "applied", "FIX-002": "refused"}
    fix, refused_fix = run.store.state.proposed_fixes
    assert (len(fix.issue_ids), len(fix.changes), len(refused_fix.issue_ids)) == (28, 28, 2)
    assert refused_fix.reason == (
        "a file that the fix changes was edited meanwhile: references/b3.md, references/b7.md"
    )
    assert len(list_fixed(skill)) == 28


def test_large_fix_is_rolled_back_except_in_edited_files(skill_and_files, work):
    skill, before = skill_and_files
    run = start_run(skill, work, apply="all")
    fixed_text = (skill / "references/b3.md").read_text()
    edit_references(skill, 3)
    edited_text = (skill / "references/b3.md").read_bytes()
    with run.hold():
        result = run.roll_back(None)
    assert (result.fixes, result.left, result.partial) == ((), {"FIX-001": ("references/b3.md",)}, {"FIX-001"})
    files_after_rollback = {path: path.read_bytes() for path in skill.rglob("*.md")}
    assert files_after_rollback == {**before, skill / "references/b3.md": edited_text}
    state = run.store.state
    assert "FIX-001: rolled back except where it was edited meanwhile, in references/b3.md" in state.notes
    assert sum(issue.counts for issue in state.issues) == 29, "the issues must be open again"
    (skill / "references/b3.md").write_text(fixed_text)
    with run.hold():
        assert run.roll_back(None).fixes == ("FIX-001",)
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == before


def test_killed_partial_rollback_is_finished(skill_and_files, work, monkeypatch):
    skill, before = skill_and_files
    run = start_run(skill, work, apply="all")
    edit_references(skill, 3)
    edited_text = (skill / "references/b3.md").read_bytes()
    kill_rollback(run, monkeypatch, (Run, "_save_rollback"))
    listener = Listener()
    resumed_run = Run.open(work, listener)
    with resumed_run.hold():
        pass
    assert "the rollback of parts of a fix" in listener.messages[0]
    assert {p: p.read_bytes() for p in skill.rglob("*.md")} == {**before, skill / "references/b3.md": edited_text}
    assert sum(issue.counts for issue in resumed_run.store.state.issues) == 29


def test_file_edited_after_a_killed_partial_rollback_keeps_its_fix(skill_and_files, work, monkeypatch):
    skill, before = skill_and_files
    run = start_run(skill, work, apply="all")
    fixed_text = {number: (skill / f"references/b{number}.md").read_bytes() for number in (3, 4)}
    edit_references(skill, 3)
    kill_rollback(run, monkeypatch, (Workspace, "_carry_out"))
    other_file = skill / "references/b4.md"
    other_file.write_bytes(fixed_text[4] + b"More.\n")
    resumed_run = Run.open(work, Listener())
    with resumed_run.hold():
        for number, data in fixed_text.items():
            (skill / f"references/b{number}.md").write_bytes(data)
        assert resumed_run.roll_back(None).fixes == ("FIX-001",)
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == before


def kill_rollback(run, monkeypatch, method):
    """Roll back all fixes until `method` (class, name) is called, and leave the files as a kill would."""

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*method, interrupt)
        patch.setattr(Workspace, "_recover", lambda self, verified: [])
        with pytest.raises(KeyboardInterrupt), run.hold():
            run.roll_back(None)


def test_lines_of_a_killed_partial_rollback_keep_their_fix(tmp_path, work, monkeypatch):
    main = write_skill(tmp_path / "s", build_faulty_lines(30)) / "SKILL.md"
    before = main.read_text()
    run = start_run(main.parent, work, apply="all")
    fixed_text = main.read_text()
    main.write_text(fixed_text.replace("The fixable number 7 goes", "The seventh fixable goes"))
    kill_rollback(run, monkeypatch, (Workspace, "_carry_out"))
    main.write_text(main.read_text() + "More.\n")
    resumed_run = Run.open(work, Listener())
    with resumed_run.hold():
        assert resumed_run.roll_back(None).partial == {"FIX-001"}
        main.write_text(before.replace("The FIXABLE number 7", "The fixable number 7"))
        assert resumed_run.roll_back(None).fixes == ("FIX-001",)
    assert main.read_text() == before


def test_file_edited_after_it_was_rolled_back_is_finished(skill_and_files, work, tmp_path, monkeypatch):
    skill, before = skill_and_files
    run = start_run(skill, work, apply="all")
    edit_references(skill, 3)
    kill_rollback(run, monkeypatch, (Run, "_save_rollback"))
    other_file, listener = skill / "references/b4.md", Listener()
    other_file.write_bytes(before[other_file] + b"More.\n")
    resumed_run = Run.open(work, listener)
    with resumed_run.hold():
        assert "Not changed" not in listener.messages[0]
    start_run(skill, tmp_path / "again", apply="all")
    fixed_text = other_file.read_bytes()
    with resumed_run.hold():
        resumed_run.roll_back(None)
    assert other_file.read_bytes() == fixed_text != before[other_file] + b"More.\n"


@pytest.mark.parametrize("count", [2, 30])
def test_file_edited_after_its_killed_rollback_has_no_fix(tmp_path, work, monkeypatch, count):
    skill = write_skill(tmp_path / "s", build_links_to_references(count), **build_faulty_references(count))
    before = {path: path.read_bytes() for path in skill.rglob("*.md")}
    run = start_run(skill, work, apply="all")
    kill_rollback(run, monkeypatch, (Run, "_save_rollback"))
    other_file = skill / "references/b1.md"
    other_file.write_bytes(before[other_file] + b"More.\n")
    resumed_run = Run.open(work, Listener())
    with resumed_run.hold():
        assert not resumed_run.roll_back(None).left
    assert {path: path.read_bytes() for path in before} == {**before, other_file: before[other_file] + b"More.\n"}


def test_large_fix_is_rolled_back_except_in_edited_lines(tmp_path, work):
    skill = write_skill(tmp_path / "s", build_faulty_lines(30))
    run = start_run(skill, work, apply="all")
    main = skill / "SKILL.md"
    fixed_text = main.read_text()
    main.write_text(fixed_text.replace("The fixable number 7 goes", "The seventh fixable goes") + "More.\n")
    with run.hold():
        assert run.roll_back(None).partial == {"FIX-001"}
    assert (
        main.read_text()
        == SKILL_HEADER
        + build_faulty_lines(30).replace("The FIXABLE number 7 goes", "The seventh fixable goes")
        + "More.\n"
    )
    main.write_text(SKILL_HEADER + build_faulty_lines(30).replace("The FIXABLE number 7", "The fixable number 7"))
    with run.hold():
        assert run.roll_back(None).fixes == ("FIX-001",)
    assert main.read_text() == SKILL_HEADER + build_faulty_lines(30)


def test_rolled_back_part_no_longer_belongs_to_the_fix(skill_and_files, work, tmp_path):
    """If a later run or the user makes the same change again, that change belongs to them."""
    skill, before = skill_and_files
    run = start_run(skill, work, apply="all")
    edit_references(skill, 3)
    with run.hold():
        run.roll_back(None)
    later_run = start_run(skill, tmp_path / "work2", apply="all")
    assert len(list_fixed(skill)) == 30
    files_after_rollback = {path: path.read_bytes() for path in skill.rglob("*.md")}
    resumed_run = Run.open(work, Listener())
    with resumed_run.hold():
        assert resumed_run.roll_back(None).left == {"FIX-001": ("references/b3.md",)}
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == files_after_rollback
    with later_run.hold():
        later_run.roll_back(None)
    (skill / "references/b5.md").write_text("Mine.\n")
    path = skill / "references/b3.md"
    path.write_text(path.read_text().replace("flies on", "goes by"))
    with resumed_run.hold():
        assert resumed_run.roll_back(["FIX-001"]).fixes == ("FIX-001",)
    assert path.read_bytes() == before[path]
    assert (skill / "references/b5.md").read_text() == "Mine.\n"


def test_fixes_of_unlisted_findings_follow_in_further_rounds(tmp_path, work, monkeypatch):
    def check(case):
        for file in case.skill.instructions:
            for number, line in enumerate(file.doc.lines, 1):
                if "RISKY" in line:
                    yield Finding(file.path, number, f"A RISKY is in {file.path}.")

    pattern = make_pattern("AGT-002", "RISKY", "correct_risky")
    pattern.check = check
    install_catalogue(monkeypatch, [pattern], [make_strategy("correct_risky", replace_word("RISKY", "risky"))])
    monkeypatch.setattr("actions.scoring.scan.MAX_CAUSES", 30)
    skill = write_skill(tmp_path / "s", build_links_to_references(90), **build_faulty_references(90))
    state = start_run(skill, work, apply="all").store.state
    assert [(fix.status, len(fix.issue_ids)) for fix in state.proposed_fixes] == [(FixStatus.APPLIED, 30)] * 3
    assert not any("RISKY" in path.read_text() for path in skill.rglob("*.md"))


@pytest.mark.parametrize("count", [30, 90])
@pytest.mark.parametrize("in_one_file", [False, True])
def test_unlisted_findings_with_the_same_message_are_fixed(tmp_path, work, monkeypatch, count, in_one_file):
    def check(case):
        for file in case.skill.instructions:
            lines = enumerate(file.doc.lines, 1)
            yield from (Finding(file.path, number, "A RISKY is here.") for number, line in lines if "RISKY" in line)

    pattern = make_pattern("AGT-002", "RISKY", "correct_risky")
    pattern.check = check
    install_catalogue(monkeypatch, [pattern], [make_strategy("correct_risky", replace_word("RISKY", "risky"))])
    monkeypatch.setattr("actions.scoring.scan.MAX_CAUSES", 30)
    repeated_text = SKILL_HEADER + build_faulty_lines(count).replace("FIXABLE", "RISKY")
    skill = (
        write_skill(tmp_path / "s", repeated_text)
        if in_one_file
        else write_skill(tmp_path / "s", build_links_to_references(count), **build_faulty_references(count))
    )
    state = start_run(skill, work, apply="all").store.state
    sizes = [min(30, count - fixed_count) for fixed_count in range(0, count, 30)]
    assert [(fix.status, len(fix.issue_ids)) for fix in state.proposed_fixes] == [(FixStatus.APPLIED, n) for n in sizes]
    assert not any("RISKY" in path.read_text() for path in skill.rglob("*.md"))
    assert {issue.status for issue in state.issues if issue.pattern == "AGT-002"} == {IssueStatus.RESOLVED}
    assert not [note for note in state.notes if "are not listed" in note]


def test_fix_of_listed_findings_may_not_add_unlisted_ones(tmp_path, work, monkeypatch):
    def copy_fault(text, case):
        return text.replace("RISKY", "risky") + "The RISKY returns.\n\nA RISKY stays.\n"

    monkeypatch.setattr("actions.scoring.scan.MAX_CAUSES", 3)
    install_catalogue(
        monkeypatch, [make_pattern("AGT-002", "RISKY", "correct_risky")], [make_strategy("correct_risky", copy_fault)]
    )
    skill = write_skill(tmp_path / "s", build_links_to_references(5), **build_faulty_references(5))
    before = {path: path.read_bytes() for path in skill.rglob("*.md")}
    state = start_run(skill, work, apply="all").store.state
    assert {path: path.read_bytes() for path in skill.rglob("*.md")} == before
    assert not state.rounds[-1].fixes_kept


@pytest.mark.parametrize("in_one_file", [False, True])
def test_rolled_back_findings_beyond_the_limit_are_open_again(tmp_path, work, monkeypatch, in_one_file):
    monkeypatch.setattr("actions.scoring.scan.MAX_CAUSES", 10)
    repeated_text = SKILL_HEADER + build_faulty_lines(25).replace("FIXABLE", "RISKY")
    skill = (
        write_skill(tmp_path / "s", repeated_text)
        if in_one_file
        else write_skill(tmp_path / "s", build_links_to_references(25), **build_faulty_references(25))
    )
    run = start_run(skill, work, apply="all")
    assert {issue.status for issue in run.store.state.issues} == {IssueStatus.RESOLVED}
    resumed_run = Run.open(work, Listener())
    with resumed_run.hold():
        resumed_run.roll_back([fix.id for fix in resumed_run.store.state.proposed_fixes])
    assert sum(issue.status is IssueStatus.OPEN for issue in resumed_run.store.state.issues) == 25
    assert not [note for note in resumed_run.store.state.notes if "are not listed" in note]
