"""Track the todo list of a session through TodoWrite, TaskCreate, TaskUpdate and TaskList."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from actions.regex import regex

_CREATED_TASK = regex(r"Task #(\w+) created")
_LISTED_TASK = regex(r"(?m)^#(\w+)\.? \[(\w+)\] (.+)$")
_NO_TASKS, _NOT_FOUND = "No tasks found", "Task not found"
_CLOSED_STATUSES = frozenset({"completed", "deleted", "cancelled", "canceled"})
_MAX_TEXT = 500


class Todo(NamedTuple):
    """An item of the todo list. `record` has the text of the item; `last_record` is the record that last changed it.

    `subject` is "" for an item of an earlier session.
    """

    id: str
    subject: str
    status: str
    record: int
    last_record: int

    @property
    def name(self) -> str:
        """The subject, or the id of an item without a subject."""
        return self.subject or f"task {self.id}"

    @property
    def is_open(self) -> bool:
        """Whether the item is neither completed, deleted nor cancelled."""
        return self.status not in _CLOSED_STATUSES


class Todos:
    """The todo list of an agent, built from the agent's calls. Failed calls are ignored."""

    TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"})

    def __init__(self) -> None:
        self._items: dict[str, Todo] = {}
        self._pending: dict[str, tuple[int, str, Mapping[str, Any]]] = {}

    def record_call(self, record: int, id: str, name: str, arguments: Mapping[str, Any]) -> None:
        """Record a call of one of TOOLS. The list changes only when the result of the call is recorded."""
        self._pending[id] = (record, name, arguments)

    def record_result(self, record: int, id: str, text: str, failed: bool) -> None:
        """Apply the call `id` to the list unless it failed. `record` is the record of the result."""
        if (pending := self._pending.pop(id, None)) is not None and not failed:
            self._apply(*pending, text, record)

    def list_items(self) -> tuple[Todo, ...]:
        """Return the current items. Calls without a result count as successful."""
        calls, self._pending = self._pending, {}
        for call in calls.values():
            self._apply(*call, "", call[0])
        return tuple(self._items.values())

    def _apply(self, record: int, name: str, arguments: Mapping[str, Any], text: str, end: int) -> None:
        """Apply a call in `record` to the list. `text` is the call's result, in the record `end`."""
        if name == "TodoWrite":
            self._write(record, arguments.get("todos"))
        elif name == "TaskCreate":
            created_task = _CREATED_TASK.search(text)
            id = created_task[1] if created_task else str(len(self._items) + 1)
            self._items[id] = Todo(id, _read_text(arguments.get("subject")), "pending", record, record)
        elif name == "TaskUpdate":
            id = _read_text(arguments.get("taskId"))
            if text.startswith(_NOT_FOUND):
                self._items.pop(id, None)
            else:
                self._update(record, id, arguments)
        elif text.startswith(_NO_TASKS):
            self._items.clear()
        else:
            for id, status, subject in _LISTED_TASK.findall(text):
                self._items[id] = Todo(id, subject, status, end, end)

    def _write(self, record: int, todos: Any) -> None:
        if not isinstance(todos, list):
            return
        self._items = {}
        items = [item for item in todos if isinstance(item, dict)]
        for number, item in enumerate(items, 1):
            id, status = str(number), _read_text(item.get("status")) or "pending"
            self._items[id] = Todo(id, _read_text(item.get("content")), status, record, record)

    def _update(self, record: int, id: str, arguments: Mapping[str, Any]) -> None:
        old = self._items.get(id) or Todo(id, "", "pending", record, record)
        subject, status = _read_text(arguments.get("subject")), _read_text(arguments.get("status"))
        text_record = record if subject else old.record
        self._items[id] = Todo(id, subject or old.subject, status or old.status, text_record, record)


def _read_text(value: Any) -> str:
    """Return a string, shortened to `_MAX_TEXT`, or an integer as a string, or "" for any other value."""
    if isinstance(value, str):
        return value[:_MAX_TEXT]
    return str(value) if isinstance(value, int) else ""
