"""Parse the lines of a transcript in one pass and in constant memory. Invalid lines are skipped."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from actions.regex import regex
from actions.session.todos import Todos
from actions.session.transcript import (
    AddedText,
    Call,
    Compaction,
    Kind,
    Load,
    Message,
    QueuedMessage,
    Result,
    SkippedLines,
    Transcript,
)
from actions.session.transcript_record import (
    Attachment,
    Block,
    Line,
    RawMessage,
    Record,
    parse_record,
    parse_timestamp,
    parse_value,
    read_text,
)
from actions.session.usage import UsageCount, parse_count

MAX_KEPT = 6_000_000
"""Maximum total size of texts and tool inputs in characters. Above it, the oldest are dropped."""
MAX_TEXT, MAX_SUMMARY = 8_000, 80_000
"""Maximum lengths, in characters, of a text and of a compaction's summary."""
MAX_LOADED, MAX_LOADS = 100_000, 30
"""Maximum length of a loaded skill or command in characters, and maximum number of loads."""
UNREAD_TOOLS = frozenset(
    "Read Grep Glob LS WebFetch WebSearch NotebookRead Edit Write MultiEdit NotebookEdit TodoWrite".split()
)
"""Tools whose successful results no check reads and are dropped, except reads of a loaded skill's files."""
_encode = msgspec.json.Encoder().encode
CUT = "\n[…]\n"
"""Replaces the middle of a long text."""
_MAX_HEADING = 200
"""Maximum length of a heading in characters."""
_MAX_INPUT, _MAX_KEPT_ITEMS = 4 * MAX_TEXT, 200
_SKILL_FOLDER_LINE = "Base directory for this skill:"
_COMMAND_NAME = regex(r"<command-name>/?([^<\s]{1,200})</command-name>")
_COMMAND_ARGUMENTS = regex(r"<command-args>([^<]{1,2000})</command-args>")
_CLAUDE_CODE_PREFIXES = (
    _SKILL_FOLDER_LINE, "<command-message>", "<command-name>", "<local-command-", "<system-reminder>", "<bash-",
    "<task-notification>", "Caveat: ", "Stop hook feedback:",
)  # fmt: skip
_GENERATED_PREFIXES = ("{", "<")
"""Prefixes of queued texts that are tasks and notifications, not messages of the user."""
_COPY_TYPE = "api-request-blob"
"""The type of a record that repeats a message as it was sent to the API."""
_SDK_ENTRYPOINTS = ("sdk-cli", "sdk-ts", "sdk-py")
_SKIPPED_TYPES = frozenset(("system", "progress", "attachment", "queue-operation", "file-history-snapshot"))
_SKILL_FILE_READ = "Read of a loaded skill's file"
"""Replaces the name of the tool `Read` for a call that reads a file of a loaded skill, so that its result is kept."""
_INTERRUPTED_PREFIX = "[Request interrupted by user"
_REFUSAL_PREFIXES = ("Permission to use ", _INTERRUPTED_PREFIX)
_REFUSAL_HINTS = (
    "doesn't want to proceed with this|doesn't want to take this|require approval|requires approval|User rejected"
    "|ermission denied by|ermission was denied by|blocked by hook|blocked by a hook"
).split("|")


def parse_transcript(
    lines: Iterable[Line],
    session_id: str = "",
    agents: tuple[Transcript, ...] = (),
    agent: str = "",
    kept: int = MAX_KEPT,
) -> Transcript:
    """Parse the lines of a transcript, a list of records, or plain `{role, content}` messages.

    `agents` are the parsed transcripts of sub-agents. `agent` is the name of the sub-agent whose lines these are.
    `kept` is the maximum number of characters to keep.
    """
    parser = _Parser(agent, kept, frozenset(other.agent for other in agents))
    number = -1
    for number, line in enumerate(lines):
        parser.feed(number, line)
    return parser.build_transcript(session_id, number + 1, agents)


class _Parser:
    """Collects the parts of a transcript from its lines. Above `limit` characters, it drops the oldest texts."""

    def __init__(self, agent: str, limit: int, agents: frozenset[str]) -> None:
        self.agent, self.limit, self.agents = agent, limit, agents
        self.cwd = self.began = ""
        self.times: deque[Any] = deque(maxlen=_MAX_KEPT_ITEMS)
        self.broken = self.oversized = self.dropped = self.kept = 0
        self.unknown: Counter[str] = Counter()
        self.first: Message | None = None
        self.messages: deque[Message] = deque()
        self.calls: deque[Call] = deque()
        self.sizes: deque[tuple[int, bool]] = deque()
        self.names: dict[str, str] = {}
        self.results: dict[str, Result] = {}
        self.todos = Todos()
        self.compactions: deque[Compaction] = deque(maxlen=50)
        self.skills: dict[str, int] = {}
        self.loads: list[Load] = []
        self.command = self.skill = self.arguments = ""
        self.queued: deque[QueuedMessage] = deque(maxlen=_MAX_KEPT_ITEMS)
        self.added_texts: dict[tuple[str, str], int] = {}
        self.versions: list[tuple[int, str]] = []
        self.entrypoint = self.opening = ""
        self.usage = UsageCount()
        self.branches: deque[tuple[int, str]] = deque(maxlen=_MAX_KEPT_ITEMS)

    def feed(self, number: int, line: Line) -> None:
        """Add the content of a line to the transcript. An invalid or overlong line is only counted."""
        if (record := parse_record(line)) is None:
            self.broken += line is not None
            self.oversized += line is None
            return
        if record.timestamp is not None:
            self.times.append(record.timestamp)
            self.began = self.began or parse_timestamp(record.timestamp)
        if not self.cwd:
            self.cwd = record.cwd or ""
        if record.git_branch and (not self.branches or self.branches[-1][1] != record.git_branch):
            self.branches.append((number, record.git_branch))
        if record.version is not None and (not self.versions or self.versions[-1][1] != record.version):
            self.versions.append((number, record.version[:50]))
        if record.entrypoint is not None and not self.entrypoint:
            self.entrypoint = record.entrypoint
        if not self.opening:
            self.opening = str(record.type)
        try:
            if record.type == _COPY_TYPE:
                return
            if (message := record.message or record.as_message) is not None:
                self._add_message(number, record, message)
            else:
                self._add_other(number, record)
        except RecursionError:
            self.broken += 1

    def _add_other(self, number: int, record: Record) -> None:
        """Add the content of a record without a message. Count the record if its type is unknown."""
        if record.subtype == "compact_boundary":
            self._add_boundary(number, record.compact_metadata, parse_timestamp(record.timestamp))
        elif (kind := str(record.type)[:100]) not in _SKIPPED_TYPES:
            self.unknown[kind] += 1
        elif kind == "progress":
            if (
                (relayed_record := record.relayed_record)
                and relayed_record.message
                and relayed_record.agent_id not in self.agents
            ):
                self._add_message(number, relayed_record, relayed_record.message)
        elif kind == "queue-operation":
            text = read_text(record.content) if record.operation == "enqueue" else ""
            if text and not text.lstrip().startswith(_GENERATED_PREFIXES):
                self.queued.append(QueuedMessage(number, shorten_middle(text, MAX_TEXT)))
        elif kind == "attachment":
            self._add_attachment(number, record.parsed_attachment)

    def _add_attachment(self, number: int, attached: Attachment) -> None:
        """Add the text of an attachment, and the skills that it loads again."""
        for name, path, text in attached.reattached_skills:
            self._add_load(Load(number, name, path, text, is_reattached=True))
        if (source_and_text := attached.added_text) and len(self.added_texts) < _MAX_KEPT_ITEMS:
            self.added_texts.setdefault((source_and_text[0], shorten_report(source_and_text[1], MAX_TEXT)), number)

    def _add_load(self, load: Load) -> None:
        if len(self.loads) < MAX_LOADS:
            self.loads.append(load._replace(text=shorten_middle(load.text, MAX_LOADED)))

    def _add_message(self, number: int, record: Record, message: RawMessage) -> None:
        agent = self.agent
        if record.is_sidechain and not agent:
            agent = record.agent_id or "sidechain"
        if record.attribution_skill is not None:
            self.skills.setdefault(record.attribution_skill, number)
        if message.usage is not None and message.id is not None and (message.role or record.type) == "assistant":
            self.usage.add(message.id, message.usage)
        content = message.content
        if isinstance(content, str):
            if agent == self.agent:
                self._add_text(number, content, _get_kind(record, message))
            return
        for block in content or ():
            if (kind := block.type) == "tool_use":
                self._add_call(number, block, agent)
            elif kind == "tool_result":
                self._add_result(number, block, agent, record)
            elif kind == "text" and agent == self.agent:
                self._add_text(number, block.text or "", _get_kind(record, message))

    def _add_text(self, number: int, text: str, kind: Kind) -> None:
        """Add a text of a message, and the summary, load or command call that it contains."""
        if kind is Kind.SUMMARY:
            self._add_summary(number, text)
        elif kind is Kind.PROMPT:
            kind = self._classify_user_text(number, text)
        elif kind is Kind.META:
            self._add_meta(number, text)
        else:
            self.command = self.skill = ""
        if text and not text.isspace():
            shorten = shorten_report if kind is Kind.ANSWER else shorten_middle
            message = Message(number, kind, shorten(text, MAX_SUMMARY if kind is Kind.SUMMARY else MAX_TEXT))
            self.messages.append(message)
            if self.first is None and kind is Kind.PROMPT:
                self.first = message
            self._count_kept(len(message.text), False)

    def _add_meta(self, number: int, text: str) -> None:
        """Record the loaded text of a skill, or of the command that was just called."""
        if text.startswith(_SKILL_FOLDER_LINE):
            folder, _, body = text[len(_SKILL_FOLDER_LINE) :].partition("\n")
            self.skills.setdefault(folder.strip(), number)
            self._add_load(
                Load(number, self.skill or self.command, folder.strip(), body.lstrip("\n"), False, self.arguments)
            )
        elif (called := self.skill or self.command) and not text.lstrip().startswith(_CLAUDE_CODE_PREFIXES):
            self._add_load(Load(number, called, "", text, False, self.arguments))
        else:
            return
        self.command = self.skill = ""

    def _classify_user_text(self, number: int, text: str) -> Kind:
        """Return the kind of a message of the role "user", and record the skills and commands that it calls."""
        self.command = ""
        if text.startswith(_INTERRUPTED_PREFIX):
            return Kind.INTERRUPT
        for name in _COMMAND_NAME.findall(text) if "<command-name>" in text else ():
            self.skills.setdefault(name, number)
            self.command = name
            self.arguments = "".join(_COMMAND_ARGUMENTS.findall(text)[:1]).strip()
        return Kind.META if text.lstrip().startswith(_CLAUDE_CODE_PREFIXES) else Kind.PROMPT

    def _add_call(self, number: int, block: Block, agent: str) -> None:
        """Add a tool call, unless its input is not an object or its id was already used."""
        id, name, arguments = block.id or f"record {number}", block.name or "", parse_value(block.input)
        if not isinstance(arguments, dict) or id in self.names:
            return
        if name in Todos.TOOLS and agent == self.agent:
            self.todos.record_call(number, id, name, arguments)
        size = 200 + len(block.input)
        if size > _MAX_INPUT:
            arguments, size = _shorten_input(arguments)
        call = Call(number, id, name, arguments, agent)
        self.names[id] = _SKILL_FILE_READ if name == "Read" and self._is_skill_file(call.get("file_path")) else name
        if name == "Skill":
            self.skill, self.arguments = call.get("skill") or call.get("command"), call.get("args")
            self.skills.setdefault(self.skill, number)
        self.calls.append(call)
        self._count_kept(size, True)

    def _is_skill_file(self, path: str) -> bool:
        return any(load.folder and path.startswith(load.folder + "/") for load in self.loads)

    def _add_result(self, number: int, block: Block, agent: str, record: Record) -> None:
        """Add the result of a known call, with its text only if a check may read it."""
        id, is_error, text, replaced = block.tool_use_id or "", block.is_error is True, "", ""
        if (name := self.names.get(id)) is None or id in self.results:
            return
        if is_error or name not in UNREAD_TOOLS:
            text = shorten_middle(read_text(block.content), MAX_TEXT)
        elif name == "Write":
            replaced = shorten_middle(record.old_text, 4 * MAX_TEXT)
        if is_error and name == "Skill":
            self.skill = ""
        is_refused = is_error and (text.startswith(_REFUSAL_PREFIXES) or any(map(text.__contains__, _REFUSAL_HINTS)))
        self.results[id] = Result(number, text, is_error, is_refused, replaced)
        self.kept += len(text) + len(replaced)
        if name in Todos.TOOLS and agent == self.agent:
            self.todos.record_result(number, id, text, is_error)

    def _add_boundary(self, number: int, metadata: Any, at: str = "") -> None:
        fields = metadata if isinstance(metadata, Mapping) else {}
        trigger = fields["trigger"] if isinstance(fields.get("trigger"), str) else ""
        self.compactions.append(
            Compaction(number, trigger, parse_count(fields.get("preTokens")), self.todos.list_items(), at=at)
        )

    def _add_summary(self, number: int, text: str) -> None:
        """Add a summary to the last compaction, or to a new one if there is none without a summary."""
        if not self.compactions or self.compactions[-1].summary:
            self._add_boundary(number, None)
        self.compactions[-1] = self.compactions[-1]._replace(summary=shorten_middle(text, MAX_SUMMARY))

    def _count_kept(self, size: int, is_call: bool) -> None:
        """Count the characters of a new call or message, and drop the oldest ones above the limit."""
        self.sizes.append((size, is_call))
        self.kept += size
        while self.kept > self.limit and len(self.sizes) > 1:
            size, is_call = self.sizes.popleft()
            self.kept -= size
            self.dropped += 1
            if is_call:
                self._drop_result(self.calls.popleft())
            else:
                self.messages.popleft()

    def _drop_result(self, call: Call) -> None:
        self.names.pop(call.id, None)
        result = self.results.pop(call.id, None)
        self.kept -= len(result.text) + len(result.replaced) if result else 0

    def build_transcript(self, session_id: str, records: int, agents: tuple[Transcript, ...]) -> Transcript:
        """Return the transcript of the lines so far."""
        first = [self.first] if self.first and self.first not in self.messages else []
        return Transcript(
            session_id=session_id,
            agent=self.agent,
            cwd=self.cwd,
            began=self.began,
            ended=next(filter(None, map(parse_timestamp, reversed(self.times))), self.began),
            records=records,
            messages=(*first, *self.messages),
            calls=tuple(self.calls),
            results=self.results,
            todos=self.todos.list_items(),
            compactions=tuple(self.compactions),
            skills=self.skills,
            usage=self.usage.sum_up(),
            skipped=SkippedLines(self.unknown, self.broken, self.oversized, self.dropped),
            agents=agents,
            branches=tuple(self.branches),
            loads=tuple(self.loads),
            queued=tuple(self.queued),
            added_texts=tuple(AddedText(at, source, text) for (source, text), at in self.added_texts.items()),
            versions=tuple(self.versions),
            is_headless=self.entrypoint in _SDK_ENTRYPOINTS if self.entrypoint else self.opening == "queue-operation",
        )


def shorten_middle(text: str, limit: int) -> str:
    """Replace the middle of a text of more than `limit` characters with `CUT`."""
    return text if len(text) <= limit else f"{text[: limit // 2]}{CUT}{text[-limit // 2 :]}"


def shorten_report(text: str, limit: int) -> str:
    """Replace the middle of a text of more than `limit` characters with `CUT` and the headings in it."""
    middle = text[limit // 2 : -limit // 2] if len(text) > limit else ""
    titles = "\n".join(line[:_MAX_HEADING] for line in middle.split("\n") if line.startswith("#"))[:limit]
    return shorten_middle(text, limit).replace(CUT, f"{CUT}{titles}{CUT}", 1) if titles else shorten_middle(text, limit)


def _get_kind(record: Record, message: RawMessage) -> Kind:
    """Return the kind of a message. It depends only on the fields of its record, not on its text."""
    role = message.role
    if (role or record.type) == "assistant":
        return Kind.ERROR if record.is_api_error_message else Kind.ANSWER
    if record.is_compact_summary:
        return Kind.SUMMARY
    return Kind.META if role == "system" or record.is_meta else Kind.PROMPT


def _shorten_input(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Shorten the long arguments of a call. Returns them with their size in bytes."""
    shortened_arguments = {key: _shorten_value(value) for key, value in arguments.items()}
    return shortened_arguments, len(_encode(shortened_arguments))


def _shorten_value(value: Any) -> Any:
    """Shorten a long string. Any other large value becomes None."""
    if isinstance(value, str):
        return shorten_middle(value, _MAX_INPUT)
    return value if len(_encode(value)) < _MAX_INPUT else None
