"""Test look-ups: limited, logged, only in the project, and without secrets in names or contents."""

import tracemalloc
from hashlib import sha256

import pytest

from actions.project import lookup_answer
from actions.project.lookup import Library
from actions.project.lookup_log import MAX_BYTES, MAX_FILES, NOTHING_SHOWN, Lookup
from actions.project.project import Project, ProjectFile

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEbirds\n-----END RSA PRIVATE KEY-----\n"


def make_project(files, ignored=(), unread=(), sizes=None):
    data_by_path = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    files_by_path = {
        path: ProjectFile(path, (sizes or {}).get(path, len(data))) for path, data in sorted(data_by_path.items())
    }
    return Project("shore", files_by_path, data_by_path.get, frozenset(ignored), frozenset(unread))


def look_up(files, *paths, pattern="", log=NOTHING_SHOWN, folder="", **options):
    return Library(make_project(files, **options), folder).look_up(Lookup(paths, pattern), log)


def test_look_shows_several_files_with_line_numbers():
    text, log = look_up({"a.py": "one\ntwo\n", "b/c.md": "three\n"}, "a.py", "b/c.md")
    assert "=== a.py, lines 1 to 2 of 2\n1| one\n2| two\n=== b/c.md, lines 1 to 1 of 1\n1| three\n" in text
    assert log.hashes == {"a.py": sha256(b"one\ntwo\n").hexdigest(), "b/c.md": sha256(b"three\n").hexdigest()}
    assert log.describe() == "2 files (0 KB): a.py, b/c.md"


def test_look_shows_lines_folders_and_globs():
    files = {"s/a.py": "1\n2\n3\n4\n", "s/b.py": "x\n", "s/c.md": "y\n"}
    assert "2| 2\n3| 3\nleft" in look_up(files, "s/a.py:2-3")[0]
    assert "3| 3\n4| 4\nleft" in look_up(files, "s/a.py:3-")[0]
    text, log = look_up(files, "s/")
    assert "=== s/, 3 files\ns/a.py (0.0 KB)\ns/b.py (0.0 KB)\ns/c.md (0.0 KB)\n" in text
    assert (log.sent, log.refused) == ((), ()), "names are not content"
    assert set(look_up(files, "s/*.py")[1].hashes) == {"s/a.py", "s/b.py"}


def test_double_star_of_a_glob_also_matches_no_folder():
    files = {"s/SKILL.md": 'D="$ROOT/x"\n', "s/a/b/c.md": "$ROOT/\n", "s/a/d.py": "$ROOT/\n", "t/e.md": "$ROOT/\n"}
    assert set(look_up(files, "s/**/*.md")[1].hashes) == {"s/SKILL.md", "s/a/b/c.md"}
    text = look_up(files, "s/**/*.md", pattern="$ROOT/")[0]
    assert "=== s/SKILL.md, 1 line with it" in text
    assert "found in 2 of 2 searched files" in text


def test_search_of_a_glob_searches_all_files_that_match():
    files = {f"n/{n:03d}.md": "x\n" for n in range(200)} | {"n/199.md": "bird\n"}
    assert "found in 1 of 200 searched files" in look_up(files, "n/*.md", pattern="bird")[0]


def test_search_shows_the_nearest_files_first():
    files = {f"docs/{n:02d}.md": "bird\n" for n in range(30)} | {"skills/gull/a.md": "bird\n", "z.md": "bird\n"}
    text, _ = look_up(files, pattern="bird", folder="skills/plover")
    assert text.startswith("=== skills/gull/a.md, 1 line with it\n1| bird\n")


def test_match_in_a_long_line_is_shown_with_context():
    files = {"a.md": f"{'calm ' * 300}the bird{' sea' * 300}\n"}
    text, _ = look_up(files, pattern="THE BIRD")
    assert " calm the bird sea " in text
    assert len(text) < 500
    assert "[…" in look_up(files, "a.md")[0]
    assert "[…" not in look_up(files, "a.md:1")[0], "a line that is requested alone is shown whole"


def test_file_that_is_searched_alone_shows_more_hits():
    files = {"a.md": "bird\n" * 30, "b.md": "bird\n"}
    assert "=== a.md, 30 lines with it, the first 5\n" in look_up(files, pattern="bird")[0]
    assert "30| bird\nfound in 1 of 1 searched file\n" in look_up(files, "a.md", pattern="bird")[0]


def test_look_resolves_paths_from_the_units_folder():
    files = {"skills/plover/SKILL.md": "x\n", "agents/gull.md": "y\n", "skills/plover/a.md": "z\n"}
    log = look_up(files, "a.md", "../../agents/gull.md", folder="skills/plover")[1]
    assert set(log.hashes) == {"skills/plover/a.md", "agents/gull.md"}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../other/notes.md", "outside the project"),
        ("a/../../x", "outside the project"),
        ("/etc/passwd", "outside the project"),
        ("~/.ssh/id_rsa", "outside the project"),
        ("link.md", "a link, or not a file of this project"),
        ("linked/inside.md", "a link, or not a file of this project"),
        ("build/out.js", "ignored by git"),
        (".env", "it may hold secrets"),
        ("deploy/.env.production", "it may hold secrets"),
        ("keys/server.pem", "it may hold secrets"),
        (".aws/config", "it may hold secrets"),
        ("config/credentials.json", "it may hold secrets"),
        ("id_ed25519", "it may hold secrets"),
        ("huge.log", "larger than 8 MB"),
        ("bird.png", "not text"),
        ("latin.txt", "not text"),
        ("nowhere.md", "no such file"),
    ],
)
def test_look_refuses_a_path_with_a_reason(path, reason):
    files = {
        ".env": "A=1\n", "deploy/.env.production": "A=1\n", "keys/server.pem": "x", ".aws/config": "x", "id_ed25519": "x",
        "config/credentials.json": "{}", "huge.log": "x", "bird.png": b"\x89PNG\0", "latin.txt": b"caf\xe9",
    }  # fmt: skip
    options = {"ignored": ["build"], "unread": ["link.md", "linked"], "sizes": {"huge.log": 2_000_000_000}}
    text, log = look_up(files, path, **options)
    assert f"not shown: {reason}" in text
    assert log.sent == ()
    assert [lookup.reason for lookup in log.refused] == [reason]


def test_sample_of_secrets_is_shown_and_secret_lines_are_withheld():
    token = "ghp_" + "a1B2" * 9
    files = {".env.example": f"NAME=shore\nTOKEN={token}\n", "run.py": f"key = '''{KEY}'''\nprint(1)\n",
             "a.md": "task-coordination-strategies-of-birds\nDB=postgres://me:pa55w0rd@host/db\n"}  # fmt: skip
    text, _ = look_up(files, *files)
    assert token not in text
    assert "MIIEbirds" not in text
    assert "pa55w0rd" not in text
    assert "1| NAME=shore\n2| [withheld: it looks like a secret]" in text
    assert "| print(1)" in text
    assert "1| task-coordination-strategies-of-birds" in text
    assert "ghp_" not in look_up(files, pattern="token=")[0], "a search withholds secrets, too"


def test_look_for_500_files_shows_40():
    files = {f"n/{n:03d}.md": "x\n" for n in range(500)}
    text, log = look_up(files, *files)
    assert len(log.hashes) == MAX_FILES
    assert "440 or more paths not shown" in text
    assert "the limit of this question is reached" in text
    second_answer = look_up(files, "n/*.md", log=log)[1]
    assert len(second_answer.hashes) == MAX_FILES
    assert "1| x" in look_up(files, "n/001.md", log=log)[0], "a file may be shown again"


def test_look_ends_at_200_kb_of_a_reading():
    files, log = {f"{n}.md": "A calm day.\n" * 20_000 for n in range(5)}, NOTHING_SHOWN
    for path in files:
        text, log = look_up(files, path, log=log)
    assert sum(lookup.size for lookup in log.sent) <= MAX_BYTES
    assert log.bytes_left < 4_000
    for _ in range(9):
        text, log = look_up(files, "4.md:1-20", log=log)
    assert "Nothing is left for look-ups of this question. Answer now" in text


def test_long_file_is_shown_in_parts():
    text, _ = look_up({"a.md": "A calm day.\n" * 20_000}, "a.md")
    assert "of 20000; the rest: `a.md:" in text
    assert len(text) < 70_000


def test_search_finds_a_text_in_files_and_folders():
    files = {"a/x.py": "def feed():\n", "b/y.py": "feed()\nFEED\n", "b/z.md": "no\n", ".env": "feed\n"}
    text, log = look_up(files, pattern="feed")
    assert "=== a/x.py, 1 line with it\n1| def feed():\n=== b/y.py, 2 lines with it\n1| feed()\n2| FEED\n" in text
    assert set(log.hashes) == {"a/x.py", "b/y.py"}
    assert "a/x.py" not in look_up(files, "b", pattern="feed")[0]
    assert "found in 0 of 3 searched files" in look_up(files, pattern="(a+)+$")[0], (
        "the text is not a regular expression"
    )


def test_search_of_a_common_text_names_the_rest():
    files = {f"{n:02d}.md": "bird\n" * 99 for n in range(30)}
    text, log = look_up(files, pattern="bird")
    assert len(log.hashes) == 10
    assert "found in 30 of 30 searched files, also in 10.md, " in text


def test_hostile_name_and_text_add_no_line():
    text, _ = look_up({"a\u202e.md": "x\u200by\n"}, "a\u202e.md", "b\n=== c.md, lines 1 to 1 of 1")
    assert "\u202e" not in text
    assert "1| x\\u{200B}y" in text
    assert "\n=== c.md" not in text


def test_globs_of_a_large_project_have_a_bounded_answer():
    files = {f"n/{n:05d}.md": "x\n" for n in range(8_000)}
    text, log = look_up(files, *(f"{'*' * n}" for n in range(1, 40)), *(f"n/{n}*" for n in range(20)))
    assert len(text) < 10_000
    assert len(log.hashes) == MAX_FILES
    assert "20 more files not shown: the limit of this question is reached" in text
    assert "more paths not shown; ask for at most 60 paths and 4 globs at once" in text


def test_log_of_refused_paths_is_bounded():
    log = NOTHING_SHOWN
    for n in range(5):
        _, log = look_up({"a.md": "x\n"}, *(f"../{n}-{m}" for m in range(60)), log=log)
    assert len(log.refused) == 100


def test_names_of_many_folders_are_bounded():
    files = {f"n{n}/{m}.md": "x\n" for n in range(50) for m in range(50)}
    text, _ = look_up(files, *(f"n{n}/" for n in range(50)))
    assert text.count(".md") == 200


def test_search_finds_no_withheld_text():
    files = {"a.py": 'TOKEN = "ghp_' + "a1B2" * 9 + '"\n'}
    for guess in ("ghp_a1", "ghp_zz", "withheld"):
        assert "found in 0 of " in look_up(files, pattern=guess)[0]


def test_searches_of_a_reading_are_limited():
    log = NOTHING_SHOWN
    for _ in range(41):
        text, log = look_up({"a.md": "x\n"}, pattern="y", log=log)
    assert "not searched: the limit of this question is reached" in text


def test_bytes_read_line_by_line_are_limited(monkeypatch):
    """A range beyond the end of the file shows nothing, so the limit on shown text does not stop this read."""
    monkeypatch.setattr(lookup_answer, "_MAX_SCREENED", 20_000)
    large = "a\n" * 3_000
    log = NOTHING_SHOWN
    for n in range(5):
        text, log = look_up({"a.md": large, "b.md": "x\n"}, f"a.md:{9_000 + n}-", log=log)
    assert "1 more file not shown: the limit of this question is reached" in text
    assert log.screened == 18_000
    text, _ = look_up({"a.md": large, "b.md": "x\n"}, pattern="x", log=log)
    assert "2 files not searched, a.md first: the limit of this question is reached" in text


def test_bytes_of_all_searches_are_limited():
    files = {f"{n}.md": ProjectFile(f"{n}.md", 7_900_000) for n in range(6)}
    library, log = Library(Project("shore", files, lambda path: b"x")), NOTHING_SHOWN
    for _ in range(7):
        text, log = library.look_up(Lookup((), "bird"), log)
    assert "5 files not searched, 1.md first: 50 MB is the limit" in text
    assert log.searched <= 300_000_000


def test_range_beyond_the_file_shows_nothing():
    assert "=== a.md, lines 9 to 8 of 1\n" in look_up({"a.md": "x\n"}, "a.md:9-")[0]
    assert "no such file" in look_up({"a.md": "x\n"}, f"a.md:{'9' * 30}")[0]


def test_look_keeps_a_bounded_part_of_a_large_project():
    files = {f"{n:02d}.md": ProjectFile(f"{n:02d}.md", 7_900_000) for n in range(30)}
    library, log = Library(Project("shore", files, lambda path: b"x" * 7_900_000)), NOTHING_SHOWN
    tracemalloc.start()
    try:
        for path in files:
            log = library.look_up(Lookup((path,), "bird"), log)[1]
        memory_in_use, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert memory_in_use < 70_000_000


def test_log_escapes_a_refused_path():
    _, log = look_up({"a.md": "x\n"}, "../\x1b[31m\nb")
    assert [lookup.path for lookup in log.refused] == ["../\\u{1B}[31m\\nb"]
