"""Prove from the records that a consideration does not apply to a session.

Each function in `EXEMPTIONS` returns why its consideration does not apply, or "" if it may apply.
"""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType

from actions.regex import regex
from actions.session.answer import Answer, answer_satisfied, answer_unknown
from actions.session.edits import Edit, classify_path, is_test
from actions.session.git import GitAction, has_unknown_commit
from actions.session.session import Session
from actions.session.shell import INTERPRETERS
from actions.session.staging import list_first_command, list_staged_paths, map_removed_paths, resolve_path

_MENTIONS_REVIEW = regex(
    r"\b(?:reviewers?|comments?|feedback|threads?)\b|(?<!you )(?<!please )(?<!and )(?<!also )(?<!to )\breviews?\b"
    r"|(?<!would )(?<!even )\bconsider (?:either )?\w+ing\b"
)
"""Matches text of the user about an existing review, but not a request to review something."""
_REVIEW_WORK = regex(
    r"(?i)\b(?:reviews?|pr|pull[-_ ]requests?|unresolved|discussion)[-_ ](?:\w+[-_ ])?(?:comments?|threads?|feedback)\b"
)
_REVIEW_HINTS = ("comment", "thread", "feedback")
"""Every match of `_REVIEW_WORK` contains one of these in lower case."""
_FETCHES_REVIEW = regex(
    r"(?is)\bgh api\b.{0,400}?(?:comments|reviews|graphql|pulls)|\bgh pr view\b.{0,400}?(?:comments|reviews|\s-c\b)"
    r"|\bgh pr review\b|\bglab (?:api|mr)\b"
)
_REVIEW_TOOLS = regex(r"(?i)git|bitbucket|review|comment|pull|merge|pr_")
"""Names of MCP tools that may return a review."""
_CI_RESULT = r"(?:fail\w*|red|broke\w*|error\w*|green|pass(?:es|ed|ing)?)"
_MENTIONS_CI = regex(
    rf"(?<![-:\w/.])(?:ci|e2e|github actions?|pipeline|checks)(?![-:\w/])[^\n]{{0,40}}?\b{_CI_RESULT}\b"
    r"|\bfailing (?:ci|checks?)\b"
)
"""Matches text of the user about a CI result."""
_MAX_SMALL_FEATURE = 60
"""Maximum number of new production lines in a small feature."""
_MAX_UNDOCUMENTED = 20
"""Maximum number of added lines in a change that needs no documentation if it introduces no new names."""
_EDIT_TEXTS = (attrgetter("added"), attrgetter("removed"))
_DOCUMENTATION = regex(r"(?i)(?:^|/)(?:readme|changelog|history|changes)[^/]*$|(?:^|/)docs?/(?!plans?/)")
_INDEX_PAGE = regex(r"(?i)(?:^|/)_?(?:readme|index|contents|summary|sidebars?|toc|mkdocs|docs\.json|nav)[^/]*$")
_COMPOUND_NAMES = regex(r"(?<![\w-])--[a-z][\w-]{2,}|\b[a-z]\w*_\w{2,}\b|\b[A-Za-z]+[a-z0-9][A-Z]\w{2,}\b")
_PROMPT_FILE = regex(r"(?:^|/)(?:commands|skills|agents)/.+\.md$")
_DOT_FOLDER = regex(r"(?:^|/)\.[^/]+/")
_STARTING_TOOLS = frozenset({"Task", "Agent", "Skill"})
_COMMIT_FAILURES = ("pre-commit script failed", "failed to write commit object", "commit-msg script failed")
_SHELL_EXPANSION = regex(r"[$`~*?\[{]")
"""A character that makes the shell expand a word."""


def answer_without_checker(id: str, session: Session) -> Answer:
    """Answer a consideration that has no checker: "satisfied" if it does not apply, otherwise "unknown"."""
    explain = EXEMPTIONS.get(id)
    reason = explain(session) if explain else ""
    return answer_satisfied(reason) if reason else answer_unknown("only a judge can decide this, and none answered")


def _explain_no_production_code(session: Session) -> str:
    return "" if session.production_edits else "the records show no change to production code"


def _explain_no_missing_docs(session: Session) -> str:
    """Return why no documentation is missing, or "" if some may be missing.

    None is missing if the session added nothing for users, or if the edited documentation names something that was
    added to the code.
    """
    if _adds_prompt(session):
        return ""
    if reason := _explain_no_production_code(session) or _explain_no_new_name(session):
        return reason
    pages = [edit for edit in session.edits if edit.kind == "docs" and _DOCUMENTATION.search(edit.path)]
    in_docs = _list_added_names(pages) if pages else frozenset()
    documented_names = sorted(in_docs & _list_added_names(session.production_edits)) if in_docs else []
    return (
        f"the edited documentation names `{documented_names[0]}`, which was added to the code"
        if documented_names
        else ""
    )


def _explain_no_new_name(session: Session) -> str:
    """Return why the code edits need no documentation, or "" if they may need some.

    Edits need none if they have few lines and neither add nor remove a name.
    """
    edits = session.production_edits
    if session.changes_code_by_command or _has_more_new_lines(edits, _MAX_UNDOCUMENTED):
        return ""
    added_names, removed_names = (
        {name for edit in edits for name in _COMPOUND_NAMES.findall(text(edit))} for text in _EDIT_TEXTS
    )
    reason = f"at most {_MAX_UNDOCUMENTED} lines of production code were added, and no name was added or removed"
    return "" if added_names ^ removed_names else reason


def _list_added_names(edits: Iterable[Edit]) -> frozenset[str]:
    """Return the options and compound names (`--all-files`, `max_words`, `maxWords`) that edits add."""
    edits = list(edits)
    removed_names = {name for edit in edits for name in _COMPOUND_NAMES.findall(edit.removed)}
    return frozenset(name for edit in edits for name in _COMPOUND_NAMES.findall(edit.added)) - removed_names


def _explain_no_hidden_page(session: Session) -> str:
    """Return why each new page can be found, or "" if a page may be hidden.

    A page can be found if an edited README or index names it. Dot folders are skipped, because they belong to tools.
    """
    root = f"{session.transcript.cwd}/"
    new_pages = {edit.path for edit in session.new_files if edit.kind == "docs" and not _DOT_FOLDER.search(edit.path)}
    if any(_is_page(path) and not is_test(path.removeprefix(root)) for path in session.shell_writes):
        return ""
    pages = [edit for edit in session.edits if _INDEX_PAGE.search(edit.path)] if new_pages else []

    def is_named(path: str) -> bool:
        return any(path.rpartition("/")[2] in page.added for page in pages if page.path != path)

    hidden_pages = [path for path in new_pages if not is_named(path)]
    if hidden_pages or new_pages:
        return "" if hidden_pages else "each new page is named in the README or an index"
    has_skipped_page = any(edit.kind == "docs" for edit in session.new_files) or any(
        classify_path(path) == "docs" for path in session.shell_writes
    )
    return "new pages are only in folders of tools and tests" if has_skipped_page else "the records show no new page"


def _is_page(path: str) -> bool:
    """Return whether a path is a document outside dot folders, or an unknown file."""
    return path == "." or (classify_path(path) == "docs" and not _DOT_FOLDER.search(path))


def _explain_no_page_in_root(session: Session) -> str:
    return (
        "" if any(map(_is_page, _list_new_root_files(session))) else "the records show no new document left in the root"
    )


def _explain_no_file_in_root(session: Session) -> str:
    return "" if any(_list_new_root_files(session)) else "the records show no new file left in the root"


def _list_new_root_files(session: Session) -> Iterator[str]:
    """Yield the files that the session may have created in the project's root and did not remove."""
    root = session.transcript.cwd.rstrip("/")
    new_paths = {edit.path for edit in session.new_files if edit.path.rpartition("/")[0] in (root, "")}
    removed_paths = map_removed_paths(session) if new_paths else {}
    last_edits = {edit.path: edit.record for edit in session.edits if edit.path in new_paths}
    yield from (path for path in new_paths if removed_paths.get(posixpath.join(root, path), -1) <= last_edits[path])
    yield from (path for path in session.shell_writes if not _is_below_root(path, root))


def _is_below_root(path: str, root: str) -> bool:
    """Return whether a path is certainly not directly in the project's root.

    This must hold for every folder in which the command may have run.
    """
    if path.startswith("/"):
        return ".." not in path and posixpath.dirname(path) != root and path.rstrip("/") != root
    path = posixpath.normpath(path)
    may_be_root = any(f"{root}/".endswith(f"/{folder}/") for folder in (path, posixpath.dirname(path)))
    return "/" in path and not (may_be_root or ".." in path or _SHELL_EXPANSION.search(path))


def _explain_no_ci(session: Session) -> str:
    is_known = session.git.ci or _MENTIONS_CI.search(session.user_texts)
    return "" if is_known else "no CI status was queried, and the user did not mention CI"


def _adds_prompt(session: Session) -> bool:
    """Return whether an edit created a command, a skill or an agent. They are new features, but no source files."""
    return any(_PROMPT_FILE.search(edit.path) for edit in session.new_files)


def _explain_no_larger_feature(session: Session) -> str:
    """Return why no tutorial is needed (the session added no large feature), or "" if one may be needed."""
    if _adds_prompt(session):
        return ""
    edits = session.production_edits
    is_new = any(edit.is_code and not session.is_test(edit) for edit in session.new_files)
    if is_new or _has_more_new_lines(edits, _MAX_SMALL_FEATURE):
        return ""
    if not edits:
        return _explain_no_production_code(session)
    return f"at most {_MAX_SMALL_FEATURE} lines of production code were added"


def _has_more_new_lines(edits: Iterable[Edit], limit: int) -> bool:
    return any(total > limit for total in accumulate(map(_count_new_lines, edits)))


def _count_new_lines(edit: Edit) -> int:
    # Lines that are also in the removed text are not new.
    return (Counter(edit.added.splitlines()) - Counter(edit.removed.splitlines())).total()


def _explain_no_review(session: Session) -> str:
    """Return why the session had no review to respond to, or "" if it may have had one.

    A review is recognized by a command or tool that fetches it, or by a message that mentions it.
    """
    calls = session.transcript.calls
    names = set(map(attrgetter("name"), calls))
    if _MENTIONS_REVIEW.search(session.user_words) or any(
        name.startswith("mcp__") and _REVIEW_TOOLS.search(name) for name in names
    ):
        return ""
    texts = [command.text for command in session.commands]
    if any(_FETCHES_REVIEW.search(text) for text in texts if "gh " in text or "glab " in text):
        return ""
    starts = [] if names.isdisjoint(_STARTING_TOOLS) else [call for call in calls if call.name in _STARTING_TOOLS]
    prompts = [call.get("prompt") or call.get("skill") for call in starts]
    all_texts = dict.fromkeys((*prompts, *texts, *(message.text for message in session.transcript.messages)))
    candidates = (text for text in all_texts if any(map(text.lower().__contains__, _REVIEW_HINTS)))
    return "" if any(map(_REVIEW_WORK.search, candidates)) else "no review was fetched, and no message mentions one"


def _explain_no_unrelated_file(session: Session) -> str:
    """Return why no unrelated file was committed, or "" if one may have been committed.

    The reason is that the session made no commit, or staged only files that it had changed.
    """
    if session.submissions:
        return ""
    may_have_committed = any(map(_may_have_committed, session.git.refused_commits))
    if not (session.git.commits or may_have_committed or any(map(has_unknown_commit, session.commands))):
        return "no recorded command made a commit"
    written_paths = (resolve_path(session, path) for path in session.shell_writes)
    changed_paths = {
        *(_get_absolute_path(session, edit) for edit in session.edits),
        *written_paths,
        *map_removed_paths(session),
    } - {""}
    staged_paths = list_staged_paths(session)
    return "only files that the session changed were added" if staged_paths and staged_paths <= changed_paths else ""


def _may_have_committed(action: GitAction) -> bool:
    """Return whether a failed `git commit` command may still have made a commit.

    That is possible unless its output has a known message about a failed commit.
    """
    return not any(map(action.output.__contains__, _COMMIT_FAILURES))


def _get_absolute_path(session: Session, edit: Edit) -> str:
    return posixpath.normpath(posixpath.join(session.transcript.cwd, edit.path))


def _explain_no_interactive_test(session: Session) -> str:
    """Return why no interactive test is needed, or "" if one may be needed.

    The reason is that no code was edited, or that the only edited file was run afterwards.
    """
    edits = session.production_edits
    if not edits:
        return "" if _adds_prompt(session) else "the records show no change to production code"
    last, file = edits[-1].record, _get_absolute_path(session, edits[-1])
    is_one_file = all(edit.path == edits[-1].path or _get_absolute_path(session, edit) == file for edit in edits)
    for command in session.commands if is_one_file and not session.changes_code_by_command else ():
        programs = (word for part in list_first_command(session, command) for word in _get_program_path(part))
        if command.has_run and command.record > last and file in (resolve_path(session, word) for word in programs):
            return "the edited file was run afterwards"
    return ""


def _get_program_path(part: tuple[str, ...]) -> tuple[str, ...]:
    """Return (path,) of the program or script that a simple command runs, or () if it names no path.

    A script counts if it is the argument of an interpreter.
    """
    is_script = part[0].rpartition("/")[2] in INTERPRETERS
    return part[1:2] if is_script else part[:1] if "/" in part[0] else ()


EXEMPTIONS: Mapping[str, Callable[[Session], str]] = MappingProxyType(
    {
        "documentation_updates": _explain_no_missing_docs,
        "tutorial_needed": _explain_no_larger_feature,
        "feature_docs_discoverable": _explain_no_hidden_page,
        "docs_organization": _explain_no_page_in_root,
        "root_pollution": _explain_no_file_in_root,
        "ci_precommit_mismatch": _explain_no_ci,
        "review_responses": _explain_no_review,
        "unrelated_changes": _explain_no_unrelated_file,
        "interactive_testing": _explain_no_interactive_test,
    }
)
