"""Define a judge of sessions, choose its questions and check its answers.

The judge's answer to a consideration takes precedence over the answer from the records. The judge answers in JSON and
quotes records, because a parser of prose might take "no unsatisfied item" for a violation.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec.structs import replace

from actions.regex import regex
from actions.session.answer import Answer, Verdict, answer_unknown
from actions.session.digest import format_input
from actions.session.record_text import remove_colours, show_text
from actions.session.redaction import HIDDEN
from actions.session.transcript import Quote, Transcript
from schemas.considerations import Consideration
from templates.filters import visible


class SessionJudge(Protocol):
    """A model that reads a session.

    It makes at most four queries (see `group_by_query`), because each query pays for the tokens of the session again.
    The time limit is 25 s for a query and 60 s for all of them. Answers that fail or come too late are left out.
    """

    def answer(self, transcript: Transcript, considerations: Sequence[Consideration]) -> Mapping[str, Answer]:
        """Return answers by the id of their consideration. Some considerations may have no answer."""


_AREA_WORDS = (
    ("completion", {"completion", "progress", "completeness"}),
    ("testing", {"testing", "tests", "test"}),
    ("ci", {"ci", "cd", "mergeability"}),
    ("workflow", {"workflow", "process"}),
    ("pull request", {"pr", "pull"}),
)
"""The areas of work, each with its keywords in the names of categories."""
_QUERY_BY_AREA = {"testing": "testing", "ci": "testing", "completion": "completion", "workflow": "workflow",
            "pull request": "workflow"}  # fmt: skip


def classify_category(category: str) -> str:
    """Return the area of work of a category, or "quality" if its name has no keyword."""
    words = set(_WORD.findall(category.lower()))
    return next((name for name, known in _AREA_WORDS if known & words), "quality")


def group_by_query(considerations: Sequence[Consideration]) -> Mapping[str, tuple[Consideration, ...]]:
    """Group considerations by the query that asks about them.

    The queries are about testing (with CI), completion, workflow and quality.
    """
    groups: dict[str, tuple[Consideration, ...]] = {}
    for consideration in considerations:
        name = _QUERY_BY_AREA.get(classify_category(consideration.category), "quality")
        groups[name] = (*groups.get(name, ()), consideration)
    return groups


_QUESTION_BY_WORD = {"todo": "todos", "todos": "todos", "philosophy": "philosophy", "bs": "philosophy",
              "shortcuts": "philosophy", "test": "testing", "tests": "testing", "testing": "testing", "ci": "workflow",
              "workflow": "workflow", "commit": "workflow"}  # fmt: skip
_WORD = regex(r"[a-z]+")


def find_question(consideration: Consideration) -> str:
    """Return the name of the template that asks about a consideration, chosen by the words of its id."""
    known = (_QUESTION_BY_WORD[word] for word in _WORD.findall(consideration.id.lower()) if word in _QUESTION_BY_WORD)
    return f"questions/{next(known, 'generic')}"


def verify_quotes(answer: Answer, transcript: Transcript) -> Answer:
    """Remove wrong quotes from an answer. A violation with a wrong quote, or without any, becomes unknown."""
    verified_quotes = tuple(quote for quote in answer.quotes if has_quote(transcript, quote))
    if answer.verdict is not Verdict.VIOLATED:
        return replace(answer, quotes=verified_quotes)
    if not answer.quotes:
        return answer_unknown("the judge gave no quote for the violation")
    wrong = next((quote for quote in answer.quotes if quote not in verified_quotes), None)
    return answer if wrong is None else answer_unknown(f"record {wrong.record} does not contain the judge's quote")


def choose_answer(judged: Answer | None, recorded: Answer) -> tuple[Answer, bool]:
    """Return the answer to use, and whether it is the judge's. `recorded` is the answer from the records.

    The recorded answer is used only if the judge gave none, or only the judge's is unknown. If the judge is satisfied
    but the records show a violation, the recorded reason is added.
    """
    if judged is None or (judged.verdict is Verdict.UNKNOWN and recorded.verdict is not Verdict.UNKNOWN):
        return recorded, False
    if judged.verdict is Verdict.SATISFIED and recorded.verdict is Verdict.VIOLATED:
        why = f"{judged.why} (the records say otherwise: {recorded.why})"
        return replace(judged, why=why, quotes=recorded.quotes), True
    return judged, True


def has_quote(transcript: Transcript, quote: Quote) -> bool:
    """Return whether a record contains a quote, ignoring whitespace and terminal colours.

    The quote may have `HIDDEN` for a secret, because the judge saw the record so.
    """
    thread: Transcript | None = transcript
    if quote.agent:
        thread = next((agent for agent in transcript.agents if agent.agent == quote.agent), None)
    words = _join_words(quote.quote)
    if thread is None or not words:
        return False
    texts = list_texts(thread, quote.record)
    return any(words in _join_words(form) for text in texts for form in _list_forms(text, is_hidden=HIDDEN in words))


def _list_forms(text: str, *, is_hidden: bool) -> tuple[str, ...]:
    """Return the forms in which a text may be quoted. `is_hidden` means that the quote hides a secret."""
    shown_text = show_text(text) if is_hidden else remove_colours(text)
    return text, visible(text), shown_text, visible(shown_text)


def list_texts(transcript: Transcript, record: int) -> list[str]:
    """Return the texts of a record, which may be a message, a result, a call with its inputs, or a summary."""
    texts = [message.text for message in transcript.messages if message.record == record]
    texts += [result.text for result in transcript.results.values() if result.record == record]
    for call in transcript.calls:
        if call.record == record:
            texts += [call.name, format_input(call), *_list_strings(call.input)]
    return texts + [
        compaction.summary
        for compaction in transcript.compactions
        if record in (compaction.record, compaction.record + 1)
    ]


def _list_strings(value: Any, depth: int = 4) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = list(value.values()) if isinstance(value, dict) else value
    if not depth or not isinstance(items, list):
        return []
    return [text for item in items for text in _list_strings(item, depth - 1)]


def _join_words(text: str) -> str:
    return " ".join(text.split())
