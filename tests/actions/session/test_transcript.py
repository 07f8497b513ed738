"""Test the transcript parser: an invalid record or field is skipped, and all others are read."""

import json

import pytest

from actions.session.transcript import Kind, Usage
from actions.session.transcript_parse import MAX_TEXT, parse_transcript

BASE = {"isSidechain": False, "cwd": "/home/ann/birds", "sessionId": "s1", "version": "2.1.0"}


def make_line(role, content, *, around=None, compact=True, **message):
    """Return a record as Claude Code writes it: a JSON line with keys before and after the message."""
    record = {**BASE, "type": role, "message": {"role": role, "content": content, **message}, **(around or {})}
    return json.dumps(record, separators=(",", ":") if compact else None).encode() + b"\n"


def make_call_line(id, name, **tool_input):
    return make_line("assistant", [{"type": "tool_use", "id": id, "name": name, "input": tool_input}], id=f"msg_{id}")


def make_result_line(id, text, *, error=False, tool_use_result=None):
    block = {"tool_use_id": id, "type": "tool_result", "content": text, "is_error": error}
    return make_line("user", [block], around={"uuid": "u", "toolUseResult": tool_use_result or {"stdout": text}})


def test_parse_joins_prompts_answers_calls_and_results():
    transcript = parse_transcript(
        [
            make_line("user", "Count the plovers."),
            make_line("assistant", [{"type": "text", "text": "I look."}], id="m1"),
            make_call_line("t1", "Bash", command="wc -l birds.txt"),
            make_result_line("t1", "12 birds.txt"),
        ],
        "s1",
    )
    assert [(m.record, m.kind, m.text) for m in transcript.messages] == [
        (0, Kind.PROMPT, "Count the plovers."),
        (1, Kind.ANSWER, "I look."),
    ]
    (step,) = transcript.steps
    assert (step.call.name, step.call.get("command"), step.result.text) == ("Bash", "wc -l birds.txt", "12 birds.txt")
    assert (transcript.session_id, transcript.cwd, transcript.records) == ("s1", "/home/ann/birds", 4)


@pytest.mark.parametrize("compact", [True, False])
def test_parse_ignores_spaces_in_json(compact):
    transcript = parse_transcript([make_line("user", "Hello", compact=compact, around={"isMeta": True, "uuid": "u"})])
    assert transcript.messages[0].kind is Kind.META


def test_parse_reads_plain_messages_and_whole_records():
    messages = [
        {"role": "user", "content": "Hello"},
        {"type": "assistant", "message": {"role": "assistant", "content": "Hi"}},
    ]
    assert [m.kind for m in parse_transcript(messages).messages] == [Kind.PROMPT, Kind.ANSWER]


def test_parse_drops_unread_results_but_keeps_errors():
    transcript = parse_transcript(
        [
            make_call_line("t1", "Read", file_path="a"),
            make_result_line("t1", "long content", tool_use_result={"file": {"content": "long content"}}),
            make_call_line("t2", "Read", file_path="b"),
            make_result_line("t2", "File does not exist.", error=True, tool_use_result="Error: File does not exist."),
        ]
    )
    assert [(r.text, r.is_error) for r in transcript.results.values()] == [("", False), ("File does not exist.", True)]


def test_refused_call_is_not_a_failure():
    transcript = parse_transcript(
        [
            make_call_line("t1", "Bash", command="x"),
            make_result_line("t1", "The user doesn't want to proceed with this tool use.", error=True),
        ]
    )
    assert transcript.results["t1"].is_refused


def test_usage_counts_once_per_message_and_only_numbers():
    usage = {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": float("nan")}
    block = [{"type": "text", "text": "x"}]
    lines = [make_line("assistant", block, id="m1", usage=usage), make_line("assistant", block, id="m1", usage=usage)]
    lines.append(make_line("assistant", block, id="m2", usage={"input_tokens": -4, "output_tokens": True}))
    assert parse_transcript(lines).usage == Usage(input=3, output=5)


def test_parse_counts_broken_oversized_and_unknown_lines():
    lines = [b'{"type":"user","mess', b"\xff\xfe\n", b"[1,2]\n", None, b'{"type":"tide"}\n', b"\n", b"7\n"]
    skipped = parse_transcript([*lines, make_line("user", "Still here.")]).skipped
    assert (skipped.broken, skipped.oversized, dict(skipped.unknown)) == (4, 1, {"tide": 1})


def test_invalid_utf8_costs_only_its_characters():
    json_line = make_line("user", "Count XX plovers").replace(b"XX", b"\xff\xfe")
    assert parse_transcript([json_line]).messages[0].text == "Count \ufffd\ufffd plovers"


def test_deep_nesting_is_a_broken_line():
    nested_line = b'{"type":"user","message":{"role":"user","content":' + b"[" * 200_000 + b"]" * 200_000 + b"}}\n"
    assert parse_transcript([nested_line, make_line("user", "Hi")]).skipped.broken == 1


def test_nan_and_huge_numbers_are_ignored():
    json_line = b'{"type":"assistant","message":{"role":"assistant","id":"m","content":[],"usage":{"input_tokens":NaN,"output_tokens":1e999}}}'
    assert parse_transcript([json_line]).usage == Usage()


UNUSUAL_INPUTS = {
    "odd values": {"n": 1.5, "none": None, "yes": True, "big": 10**30, "list": [1, {"a": ["b"]}], "": "empty key"},
    "half a surrogate pair": {"command": "echo \ud83d", "\udc00": "x"},
    "long text": {"content": "a" * 50_000, "todos": [{"content": "b" * 50_000}], "edits": [{"new_string": "c"}]},
    "a list": ["a"],
    "text": "ls",
    "escapes": {"command": 'a\u0000b\n\t"\\', "path": "/\u2028/ é 漢 🌊"},
}


@pytest.mark.parametrize("tool_input", UNUSUAL_INPUTS.values(), ids=UNUSUAL_INPUTS)
@pytest.mark.parametrize("tool_use_result", [None, "text", {"type": "update", "originalFile": "old"}, [1, {"x": 2}]])
def test_parsers_give_the_same_transcript(tool_input, tool_use_result):
    """Compare the results of msgspec, of an already parsed record, and of the lenient parser."""
    use = {"type": "tool_use", "id": "t1", "name": "Write", "input": tool_input}
    usage = {"input_tokens": 7, "output_tokens": 2, "cache_read_input_tokens": 4, "server_tool_use": {"x": 1}}
    kinds = {"isSidechain": False, "timestamp": "2026-01-01T00:00:00.000Z", "attributionSkill": "birds"}
    result = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": [{"type": "text", "text": "made"}, {"type": "image"}],
    }
    lines = [
        make_line("user", "Count.", around=kinds),
        make_line("assistant", [{"type": "thinking", "signature": "s"}, use], id="m1", usage=usage, around=kinds),
        make_line("user", [result], around={"toolUseResult": tool_use_result}),
    ]
    expected = parse_transcript(lines)
    assert expected == parse_transcript([json.loads(line) for line in lines])
    for value in (b"NaN", b"-Infinity", b"1e999", b'"\xff"'):
        assert expected == parse_transcript([b'{"odd":' + value + b"," + line[1:] for line in lines])
    assert expected.usage.uncached_tokens == 9
    assert len(expected.calls) == len(expected.results) == (1 if isinstance(tool_input, dict) else 0)


def test_invalid_number_costs_only_itself():
    json_line = (
        make_call_line("t1", "Bash", command="ls", timeout=7, share=8).replace(b":7", b":1e999").replace(b":8", b":NaN")
    )
    assert parse_transcript([json_line]).calls[0].input == {"command": "ls", "timeout": None, "share": None}


def test_call_input_counts_in_any_shape():
    nested_line: list = []
    for _ in range(500):
        nested_line = [nested_line]
    for given in (
        {"k" * 9_000: 1},
        {"list": ["a" * 9_000]},
        {"text": "a" * 9_000},
        {"deep": nested_line, "a": "a" * 9_000},
    ):
        assert (
            len(parse_transcript([make_call_line(f"t{n}", "Bash", **given) for n in range(20)], kept=50_000).calls) <= 5
        )


def test_field_of_another_type_costs_only_itself():
    parts = [{"type": 5, "text": "no"}, {"type": "text", "text": 5, "id": []}, {"type": "text", "text": "3 passed"}]
    lines = [
        make_line(
            "user", "Count.", around={"isMeta": "no", "agentId": 5, "timestamp": 7, "cwd": ["/"], "isSidechain": 1}
        ),
        make_line(
            "user", [{"type": [], "text": "no"}, {"type": "text", "text": "And ring.", "id": 7, "name": {}}], id=5
        ),
        make_line("assistant", [{"type": "tool_use", "id": 9, "name": "Bash", "input": {"command": "pytest"}}], id={}),
        make_line("user", [{"type": "tool_result", "tool_use_id": "record 2", "content": parts, "is_error": "yes"}]),
    ]
    transcript = parse_transcript(lines, "s1")
    assert [(m.kind, m.text) for m in transcript.messages] == [(Kind.PROMPT, "Count."), (Kind.PROMPT, "And ring.")]
    assert [(c.id, c.input, r.text, r.is_error) for c, r in transcript.steps] == [
        ("record 2", {"command": "pytest"}, "no\n3 passed", False)
    ]
    assert (transcript.cwd, transcript.began, transcript.skipped.broken) == ("/home/ann/birds", "", 0)


def test_repeated_record_counts_its_call_once():
    lines = [make_call_line("t1", "Bash", command="x"), make_result_line("t1", "y")]
    assert len(parse_transcript([*lines, *lines]).calls) == 1


def test_parse_skips_progress_attachments_and_snapshots():
    nested = {"type": "progress", "data": {"message": {"role": "user", "content": "inner"}}}
    lines = [json.dumps({**BASE, **nested}).encode(), b'{"type":"file-history-snapshot","snapshot":{"message":{}}}']
    transcript = parse_transcript([*lines, b'{"attachment":{"type":"x"},"type":"attachment"}'])
    assert (transcript.messages, transcript.skipped.unknown.total()) == ((), 0)


@pytest.mark.parametrize(
    ("attached", "given"),
    [
        (
            {"type": "hook_additional_context", "hookEvent": "SessionStart", "content": ["a", "b"]},
            ("SessionStart", "a\nb"),
        ),
        ({"type": "nested_memory", "path": "/r/go.md", "content": {"content": "# Go"}}, ("/r/go.md", "# Go")),
        (
            {"type": "file", "filename": "/a.md", "content": {"type": "text", "file": {"content": "tide"}}},
            ("/a.md", "tide"),
        ),
        ({"type": "directory", "path": ["/x"], "content": "a.md"}, ("", "a.md")),
        ({"type": "file", "content": {"file": {"file": {"file": {"file": {"file": "deep"}}}}}}, None),
        ({"type": "task_reminder", "content": "[]"}, None),
        ({"type": ["file"], "content": 7}, None),
        ("words", None),
    ],
)
def test_text_added_to_the_context_is_listed_once(attached, given):
    lines = [json.dumps({**BASE, "type": "attachment", "attachment": attached}).encode()] * 2
    transcript = parse_transcript(lines)
    assert [(added.record, added.source, added.text) for added in transcript.added_texts] == (
        [(0, *given)] if given else []
    )
    assert transcript.skipped.broken == 0


def test_record_embedded_in_a_text_is_text():
    text = json.dumps({"type": "progress", "message": {"role": "user", "content": "inner"}})
    assert parse_transcript([make_line("user", text)]).messages[0].text == text


def test_thinking_is_skipped_but_not_a_call_after_it():
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    transcript = parse_transcript([make_line("assistant", [thought]), make_line("assistant", [thought, use])])
    assert [c.id for c in transcript.calls] == ["t1"]


def test_compaction_keeps_its_list_and_summary():
    boundary = {
        **BASE,
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "auto", "preTokens": 9},
    }
    transcript = parse_transcript(
        [
            make_call_line("t1", "TodoWrite", todos=[{"content": "Ring the birds", "status": "pending"}]),
            make_result_line("t1", "ok"),
            json.dumps(boundary).encode(),
            make_line("user", "We counted birds.", around={"isCompactSummary": True, "uuid": "u"}),
        ]
    )
    (compaction,) = transcript.compactions
    assert (compaction.record, compaction.trigger, compaction.pre_tokens, compaction.summary) == (
        2,
        "auto",
        9,
        "We counted birds.",
    )
    assert [todo.subject for todo in compaction.todos] == ["Ring the birds"]


def test_summary_without_a_boundary_makes_one():
    assert len(parse_transcript([make_line("user", "Summary.", around={"isCompactSummary": True})]).compactions) == 1


def test_side_chain_message_is_not_a_user_message():
    transcript = parse_transcript(
        [json.dumps({**BASE, "isSidechain": True, "message": {"role": "user", "content": "Do it"}})]
    )
    assert transcript.messages == ()


def test_skills_are_recognized_by_call_command_and_attribution():
    transcript = parse_transcript(
        [
            make_call_line("t1", "Skill", skill="birds:ringing"),
            make_line("user", "<command-name>/census</command-name>"),
            make_line(
                "user",
                [{"type": "text", "text": "Base directory for this skill: /s/ringing\n\n# R"}],
                around={"isMeta": True},
            ),
            make_line("assistant", [{"type": "text", "text": "x"}], around={"attributionSkill": "moult"}),
        ]
    )
    assert transcript.skills == {"birds:ringing": 0, "census": 1, "/s/ringing": 2, "moult": 3}


def test_long_text_keeps_head_and_tail():
    text = parse_transcript([make_line("user", "a" * MAX_TEXT + "z" * MAX_TEXT)]).messages[0].text
    assert text[0] == "a"
    assert text[-1] == "z"
    assert len(text) < MAX_TEXT + 20


def test_old_records_are_dropped_but_not_the_first_prompt():
    lines = [make_line("user", "The goal.")]
    for n in range(50):
        lines += [make_call_line(f"t{n}", "Bash", command="x"), make_result_line(f"t{n}", "y" * 1000)]
    transcript = parse_transcript(lines, kept=10_000)
    assert transcript.messages[0].text == "The goal."
    assert transcript.calls[-1].id == "t49"
    assert len(transcript.calls) < 50
    assert set(transcript.results) == {c.id for c in transcript.calls}
    assert transcript.skipped.dropped > 0


def test_steps_of_a_sub_agent_precede_its_call():
    inner = parse_transcript(
        [make_call_line("i1", "Bash", command="pytest"), make_result_line("i1", "3 passed")], agent="a77"
    )
    main = [make_call_line("t1", "Bash", command="ls"), make_result_line("t1", "x"), make_call_line("t2", "Agent", prompt="test it"),
            make_result_line("t2", "All good.\nagentId: a77"), make_call_line("t3", "Bash", command="pwd"), make_result_line("t3", "/")]  # fmt: skip
    steps = parse_transcript(main, agents=(inner,)).steps
    assert [step.call.id for step in steps] == ["t1", "i1", "t2", "t3"]
    assert steps[1].call.agent == "a77"


def test_system_message_is_not_a_prompt():
    transcript = parse_transcript(
        [make_line("user", "# Environment\n\nLinux.").replace(b'"role":"user"', b'"role":"system"')]
    )
    assert [message.kind for message in transcript.messages] == [Kind.META]


def test_session_has_its_times_and_compactions():
    lines = (
        b'{"type": "summary", "summary": "timestamp"}',
        b'{"message": {"role": "user", "content": "Go."}, "timestamp": "2026-03-01T09:00:00.000Z"}',
        b'{"type": "system", "subtype": "compact_boundary", "timestamp": "2026-03-01T09:30:00.000Z"}',
        b'{"message": {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "Bash",'
        b' "input": {"timestamp": "1999-01-01T00:00:00Z"}}]}, "timestamp": "2026-03-01T10:00:00.000Z"}',
        b'{"message": {"role": "user", "content": "<b>"}, "timestamp": "<script>"}',
    )
    transcript = parse_transcript(lines)
    assert (transcript.began, transcript.ended) == ("2026-03-01T09:00:00.000Z", "2026-03-01T10:00:00.000Z")
    assert transcript.compactions[0].at == "2026-03-01T09:30:00.000Z"
    assert (transcript.date, parse_transcript(()).ended) == ("2026-03-01", "")
