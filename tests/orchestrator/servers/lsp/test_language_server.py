"""Test an editor session, with one server for all tests of this file and a separate project for each."""

import os
import shutil
import subprocess
import sys

from lsprotocol.types import DiagnosticSeverity

from tests.fakes import SKILL_HEADER, write_skill
from tests.orchestrator.servers.lsp.conftest import PROGRAM, ROOT, apply_edit

SKILL_WITH_MISSPELLED_KEY = SKILL_HEADER.replace("---\n\n#", "argument_hint: x\n---\n\n#") + "Count.\n"
BROKEN_LINK = "See [the list](missing.md).\n"


def read_files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def list_titles(actions):
    return [action.title for action in actions]


def test_server_publishes_findings_and_pages_without_writing(editor, project):
    shutil.copytree(ROOT / "examples" / "release-notes", project / "release-notes")
    main, draft = (project / "release-notes" / name for name in ("SKILL.md", "phases/02-draft.md"))
    lines = draft.read_text().splitlines()
    draft.write_text("\n".join((*lines, "", "See [ties](#ties).", "")))
    before = read_files(project)
    editor.open(main)
    (diagnostic,) = editor.diagnostics[main.as_uri()]
    assert (diagnostic.source, diagnostic.code, diagnostic.severity) == (
        "tune-skill",
        "SPEC-004",
        DiagnosticSeverity.Warning,
    )
    assert (diagnostic.range.start.line, diagnostic.range.start.character, diagnostic.range.end.character) == (4, 0, 26)
    assert diagnostic.message == "Unknown key `argument_hint` has no effect. Did you mean `argument-hint`?"
    assert editor.list_findings(draft) == [("AGT-001", 9), ("AGT-007", 9), ("SPEC-005", len(lines) + 1)]
    assert editor.diagnostics[draft.as_uri()][-1].severity == DiagnosticSeverity.Information
    (location_in_other_file,) = editor.diagnostics[(project / "release-notes/phases/03-publish.md").as_uri()][
        0
    ].related_information
    assert (location_in_other_file.location.uri, location_in_other_file.location.range.start.line) == (
        draft.as_uri(),
        24,
    )
    page = editor.hover(main, 4).contents
    assert page.kind == "markdown"
    assert "\n\n#### SPEC-004 A key" in page.value, "the heading is too large for a hover"
    assert "**Why it is bad.**" in page.value
    assert editor.hover(main, 0) is None
    collect = project / "release-notes/phases/01-collect.md"
    editor.open(collect)
    actions_for_key, actions_for_tool = editor.list_actions(main, 4), editor.list_actions(collect, 8)
    assert list_titles(actions_for_key) == [
        'SPEC-004: Write `argument-hint: "[version]"` in the frontmatter. (risk low)', "SPEC-004: ignore here",
    ]  # fmt: skip
    assert list_titles(actions_for_tool)[0] == "AGT-005: Add `WebFetch` to allowed-tools. (risk high)"
    assert [fix.is_preferred for fix in (actions_for_key[0], actions_for_tool[0])] == [True, False]
    assert read_files(project) == before


def test_quick_fix_is_a_run_that_can_be_rolled_back(editor, project):
    main = write_skill(project / "plover", SKILL_WITH_MISSPELLED_KEY) / "SKILL.md"
    before = main.read_bytes()
    editor.open(main)
    editor.change(main, main.read_text() + "\nMore.\n")
    fix, _ = editor.list_actions(main, 3)
    assert fix.title.endswith("(risk low; save first)")
    assert not fix.is_preferred
    assert not editor.execute(fix.command)["applied"]
    assert editor.messages[-1] == "tune-skill: save SKILL.md first: a fix changes the files on disk"
    assert main.read_bytes() == before
    editor.change(main, main.read_text(), 3)
    fix = editor.list_actions(main, 3)[0]
    result = editor.execute(fix.command)
    assert result["applied"]
    assert b"argument-hint: x" in main.read_bytes()
    assert editor.messages[-1].startswith(
        f"tune-skill: fixed; to undo it: tune-skill rollback {result['run']} FIX-001 ("
    )
    assert editor.list_findings(main) == [("SPEC-004", 3)], "findings must follow the text in the editor, not the file"
    editor.change(main, main.read_text(), 4)
    editor.save(main)
    assert editor.list_findings(main) == []
    assert not editor.execute(fix.command)["applied"], "it is already fixed"
    rollback_command = [sys.executable, "-c", PROGRAM, "rollback", result["run"], "FIX-001"]
    subprocess.run(rollback_command, cwd=project, env=editor.env, check=True, capture_output=True)
    assert main.read_bytes() == before


def test_quick_fix_is_not_applied_if_the_user_types_meanwhile(editor, project):
    main = write_skill(project / "plover", SKILL_WITH_MISSPELLED_KEY) / "SKILL.md"
    text = main.read_text()
    editor.open(main)
    fix = editor.list_actions(main, 3)[0]
    result = editor.execute(fix.command, meanwhile=lambda: editor.change(main, f"{text}\nMore.\n"))
    assert not result["applied"]
    assert editor.messages[-1].endswith("save SKILL.md first: a fix changes the files on disk")
    assert main.read_text() == text


def test_fix_command_for_unknown_skill_changes_nothing(editor, project):
    main = write_skill(project / "plover", SKILL_WITH_MISSPELLED_KEY) / "SKILL.md"
    editor.open(main)
    command = editor.list_actions(main, 3)[0].command
    command.arguments = (project.as_uri(), command.arguments[1])
    before = read_files(project)
    assert not editor.execute(command)["applied"]
    assert editor.messages[-1].endswith("no file of this unit is open, so nothing was changed")
    assert read_files(project) == before


def test_ignore_action_works_after_wide_letters_and_crlf(editor, project):
    text = SKILL_HEADER.replace("\n", "\r\n") + "鳥😀 one\r\nsee 鳥😀 [it](missing.md) and more\r\n"
    main = write_skill(project / "plover") / "SKILL.md"
    main.write_bytes(text.encode())
    editor.open(main)
    (diagnostic,) = editor.diagnostics[main.as_uri()]
    assert (diagnostic.range.start.character, diagnostic.range.end.character) == (0, 33)
    (ignore,) = editor.list_actions(main, diagnostic.range.start.line)
    new = apply_edit(text, ignore)
    assert new == text.replace("more\r\n", "more <!-- tune-skill: ignore SPEC-005 -->\r\n")
    editor.change(main, new)
    editor.wait_until(lambda: editor.list_findings(main) == [])
    assert main.read_bytes() == text.encode(), "the server changed the file"


def test_unsaved_text_is_scanned_and_dropped_on_close(editor, project):
    folder = write_skill(project / "plover", "Go on with [one](phases/one.md).\n", phases__one="Fine.\n")
    main, phase = folder / "SKILL.md", folder / "phases" / "one.md"
    editor.open(main)
    editor.open(phase)
    assert editor.list_findings(phase) == []
    editor.change(phase, BROKEN_LINK, 7)
    editor.wait_until(lambda: editor.list_findings(phase) == [("SPEC-005", 0)])
    assert editor.versions[phase.as_uri()] == 7
    (folder / "phases" / "missing.md").write_text("There.\n")
    editor.report_changed_files(folder / "phases" / "missing.md")
    editor.wait_until(lambda: editor.list_findings(phase) == [])
    (folder / "phases" / "missing.md").unlink()
    editor.save(main)
    assert editor.list_findings(phase) == [("SPEC-005", 0)]
    editor.close(phase)
    editor.wait_until(lambda: editor.list_findings(phase) == [])
    assert str(folder) in {registration.id for registration in editor.registrations}


def test_server_handles_two_skills_other_files_and_deletion(editor, project):
    first_main, second_main = (
        write_skill(project / name / "plover", BROKEN_LINK) / "SKILL.md" for name in ("near", "far")
    )
    file_outside_of_skills = project / "README.md"
    file_outside_of_skills.write_text(BROKEN_LINK)
    for path in (first_main, second_main, file_outside_of_skills):
        editor.open(path)
    assert (
        len(editor.list_findings(first_main)),
        len(editor.list_findings(second_main)),
        file_outside_of_skills.as_uri() in editor.diagnostics,
    ) == (1, 1, False)
    first_main.unlink()
    editor.close(first_main)
    editor.wait_until(lambda: editor.list_findings(first_main) == [])
    assert len(editor.list_findings(second_main)) == 1
    second_main.rename(second_main.with_name("README.md"))
    editor.report_changed_files(second_main)
    editor.wait_until(lambda: editor.list_findings(second_main) == [])
    assert not [message for message in editor.messages if str(project) in message], (
        "a message was shown although nothing is wrong"
    )


def test_broken_settings_show_one_message_until_corrected(editor, project):
    main_with_settings, other_main = (
        write_skill(project / name / "plover", BROKEN_LINK) / "SKILL.md" for name in ("near", "far")
    )
    settings = editor.folder / "tune-skill.toml"
    settings.write_text("ignore = [")
    for path in (main_with_settings, other_main, main_with_settings):
        editor.open(path)
    (message,) = (message for message in editor.messages if str(settings) in message)
    assert "not TOML" in message
    assert (editor.list_findings(main_with_settings), editor.list_findings(other_main)) == ([], [])
    main_with_settings.with_name("tune-skill.toml").write_text('ignore = ["SPEC-002"]')
    settings.unlink()
    editor.report_changed_files(settings)
    editor.wait_until(
        lambda: len(editor.list_findings(main_with_settings)) == len(editor.list_findings(other_main)) == 1
    )
    editor.wait_until(lambda: any("changes what is reported" in message for message in editor.log_messages))
    assert "tune-skill.toml" in {registration.id for registration in editor.registrations}


def test_hostile_files_neither_block_the_server_nor_reach_hover(editor, project):
    markup = "## \\<script> \\[x](http://evil)\n\nTODO\n"
    main = write_skill(project / "plover", markup) / "SKILL.md"
    editor.open(main)
    (line,) = (line for id, line in editor.list_findings(main) if id == "APV-007")
    assert "<script> [x](http://evil)" in editor.diagnostics[main.as_uri()][0].message
    assert r"\<script\> \[x\](http\://evil)" in editor.hover(main, line).contents.value
    latin, pipe, out = (project / name / "plover" / "SKILL.md" for name in ("latin", "pipe", "out"))
    for path in (latin, pipe, out):
        path.parent.mkdir(parents=True)
    latin.write_bytes(b"---\nname: \xe9\n---\n")
    pipe.write_text(SKILL_HEADER)
    os.mkfifo(pipe.with_name("more.md"))
    (project / "secret.md").write_text(SKILL_HEADER)
    out.symlink_to(project / "secret.md")
    editor.open(latin, SKILL_HEADER + BROKEN_LINK)
    assert [message for message in editor.messages if f"{latin}: not UTF-8 at byte 10" in message]
    editor.open(out, SKILL_HEADER + BROKEN_LINK)
    assert out.as_uri() not in editor.diagnostics
    editor.open(pipe, SKILL_HEADER + BROKEN_LINK + "\ud800\n")
    assert len(editor.list_findings(pipe)) == 1
    skill_with_many_findings = (
        write_skill(project / "many" / "plover", "".join(f"See [{n}](missing-{n}.md).\n\n" for n in range(300)))
        / "SKILL.md"
    )
    editor.open(skill_with_many_findings)
    assert len(editor.list_findings(skill_with_many_findings)) == 300
    editor.change(skill_with_many_findings, "\0")
    editor.wait_for_messages(skill_with_many_findings)
    assert len(editor.list_findings(skill_with_many_findings)) == 300, "a text with a NUL must not be scanned"


def test_deep_yaml_does_not_crash_the_server(editor, project):
    main = write_skill(project / "plover", BROKEN_LINK) / "SKILL.md"
    editor.open(main)
    editor.change(main, f"---\nname: plover\ndescription: {'[' * 30_000}{']' * 30_000}\n---\n\n{BROKEN_LINK}")
    editor.wait_for_messages(main)
    messages = [item.message for item in editor.diagnostics[main.as_uri()] if item.code == "SPEC-001"]
    assert messages and "nested deeper than 50 levels in line 3" in messages[0]


def test_finding_is_shown_at_all_of_its_places(editor, project):
    """Links into a missing folder have one cause; each file shows its own links."""
    folder = write_skill(
        project / "plover", "See [a](gone/a.md).\n\nRead more.md.\n", more="See [b](gone/b.md) and [c](gone/c.md).\n"
    )
    main, other_file = folder / "SKILL.md", folder / "more.md"
    editor.open(main)
    editor.open(other_file)
    line = main.read_text().splitlines().index("See [a](gone/a.md).")
    assert (("SPEC-005", line) in editor.list_findings(main), editor.list_findings(other_file)) == (
        True,
        [("SPEC-005", 0)],
    )
    assert [action.title for action in editor.list_actions(other_file, 0)] == ["SPEC-005: ignore here"]
    (related_location,) = editor.diagnostics[other_file.as_uri()][0].related_information
    assert related_location.location.uri == main.as_uri()
