"""Define a session: its transcript and the facts that checks derive from it."""

from functools import cached_property

import msgspec

from actions.session.answer import Answer
from actions.session.compaction import Loss, find_losses
from actions.session.edits import Edit, has_test_hint, is_test, list_edits
from actions.session.git import GitActions, may_submit, read_git
from actions.session.runs import Run, find_runs
from actions.session.shell import Command, list_commands
from actions.session.shell_writes import list_shell_writes, may_change_code
from actions.session.transcript import Compaction, Kind, Transcript


class Session(msgspec.Struct, frozen=True, dict=True):
    """A transcript and the facts derived from it, which are computed once for all checks.

    `compaction_answer` is the answer of the compaction validator, or None if the validator recorded no event.
    `preferences` are the user's instructions for all sessions.
    """

    transcript: Transcript
    compaction_answer: Answer | None = None
    preferences: str = ""

    @cached_property
    def losses(self) -> tuple[tuple[Compaction, tuple[Loss, ...]], ...]:
        """The last compactions, each with its losses."""
        return find_losses(self.transcript)

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The shell commands, including those of sub-agents."""
        return list_commands(self.transcript.steps)

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that succeeded, including those of sub-agents."""
        return list_edits(self.transcript)

    @cached_property
    def code_edit(self) -> Edit | None:
        """The first edit of code, not of documentation, settings or plans."""
        return next((edit for edit in self.edits if edit.is_code), None)

    @cached_property
    def production_edits(self) -> tuple[Edit, ...]:
        """The edits of code that is not a test."""
        code = tuple([edit for edit in self.edits if edit.kind == "code"])
        return tuple(edit for edit in code if not self.is_test(edit)) if self._may_edit_tests else code

    @cached_property
    def test_edits(self) -> tuple[Edit, ...]:
        """The edits of tests in the project."""
        edits = self.edits if self._may_edit_tests else ()
        return tuple(edit for edit in edits if edit.kind in ("code", "settings") and self.is_test(edit))

    def is_test(self, edit: Edit) -> bool:
        """Return whether an edited file is a test, judging by its path below the project."""
        return is_test(edit.path.removeprefix(f"{self.transcript.cwd}/"))

    @cached_property
    def _may_edit_tests(self) -> bool:
        """Whether any edited file may be a test: a fast check that saves the examination of each path."""
        return has_test_hint("\n".join([edit.path for edit in self.edits]))

    @cached_property
    def new_files(self) -> tuple[Edit, ...]:
        """The edits that may have created the edited file."""
        return tuple([edit for edit in self.edits if edit.is_whole and not edit.removed])

    @cached_property
    def shell_writes(self) -> tuple[str, ...]:
        """The files of the project that commands may have created."""
        return tuple(list_shell_writes(self.commands, self.transcript.cwd))

    def is_other_folder(self, part: tuple[str, ...]) -> bool:
        """Return whether a simple command may move the shell out of the project's root."""
        return part[0] in ("cd", "pushd", "popd") and (
            len(part) != 2 or part[1].strip("'\"").rstrip("/") != self.transcript.cwd.rstrip("/")
        )

    @cached_property
    def leaves_root(self) -> bool:
        """Whether a command may have moved the shell out of the project's root."""
        return any(self.is_other_folder(part) for command in self.commands for part in command.parts)

    @cached_property
    def changes_code_by_command(self) -> bool:
        """Whether a command may have changed code, by a redirection, a stream editor, a patch or a program."""
        return may_change_code(self.commands, self.shell_writes)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The test runs, in order."""
        return find_runs(self.transcript, self.commands)

    @cached_property
    def git(self) -> GitActions:
        """Commits, pushes, pull requests, and the CI status."""
        return read_git(self.commands)

    @cached_property
    def submissions(self) -> tuple[Command, ...]:
        """The commands other than git that may have committed, pushed and opened a pull request in one step."""
        return tuple(command for command in self.commands if may_submit(command))

    @cached_property
    def user_words(self) -> str:
        """The user's preferences and the first 600 characters of each prompt, in lower case."""
        beginnings = (prompt.text[:600] for prompt in self.transcript.prompts)
        return "\n".join([self.preferences, *beginnings]).strip().lower()

    @cached_property
    def user_requests(self) -> str:
        """All texts in which the user may have requested something: `user_texts` and slash commands, in lower case."""
        texts = (message.text for message in self.transcript.messages if message.kind is Kind.META)
        commands = (text.lower() for text in texts if "<command-name>" in text)
        return "\n".join((self.user_texts, *commands)).strip()

    @cached_property
    def user_texts(self) -> str:
        """The user's preferences, whole prompts and queued messages, in lower case."""
        queued_texts = (message.text for message in self.transcript.queued)
        prompts = (prompt.text for prompt in self.transcript.prompts)
        return "\n".join([self.preferences, *prompts, *queued_texts]).strip().lower()
