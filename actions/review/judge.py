"""Define the interface to a model that reads skills: questions and replies. `orchestrator/model/` implements it.

Everything works without a judge, but then only proven findings are reported.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from actions.project.lookup import Library
from actions.project.lookup_log import NOTHING_SHOWN, LookupLog

ANSWER_TOKENS = 800
"""Number of tokens of a typical answer."""


class Question(msgspec.Struct, frozen=True):
    """A question: its name in notes, the prompt, and the schema of the answer.

    The first `shared_chars` characters of the prompt are the same in other questions of a run, so that a provider's
    cache can reuse them. An answer may judge the findings whose ids are in `ids`. It may name a finding in `known` as
    the original of a duplicate. It may add findings of the patterns in `pattern_ids`. It must draft a fix for each
    group of findings in `drafts`. `may_look` means that the model may look up files of the project. `answer_tokens` is
    the number of tokens of a typical answer.
    """

    name: str
    prompt: str
    schema: Mapping[str, Any]
    shared_chars: int = 0
    ids: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    pattern_ids: tuple[str, ...] = ()
    may_look: bool = False
    drafts: tuple[tuple[str, ...], ...] = ()
    answer_tokens: int = ANSWER_TOKENS


class Reply(msgspec.Struct, frozen=True):
    """The reply to a question, and its cost.

    The value matches the schema of the question. If it is None, `why` is the reason, and `remedy` is what the user can
    do about it, or "". `cached` means that the question
    was answered before in this run, so that the reply costs nothing. `cached_tokens` are the prompt tokens that came
    from the provider's cache. `looked_up` lists the files that the model was shown on request. `model` is the model
    that answered, if known. `kept_since` is the time of the answer if an earlier command kept it.
    """

    value: Mapping[str, Any] | None
    why: str = ""
    usd: float = 0.0
    tokens: int = 0
    cached: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0
    looked_up: LookupLog = NOTHING_SHOWN
    model: str = ""
    kept_since: str = ""
    remedy: str = ""


class Judge(Protocol):
    """Answers questions about a skill."""

    @property
    def name(self) -> str:
        """The judge's name in the report."""
        ...

    def ask(self, questions: Sequence[Question], library: Library | None = None) -> Sequence[Reply]:
        """Return a reply for each question, in order. A missing answer raises no error; its reply has the reason.

        `library` has the files that the model may look up for questions that allow it.
        """
        ...
