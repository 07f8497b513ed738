"""Follow the todo list of a session through TodoWrite, TaskCreate, TaskUpdate and TaskList."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from actions.regex import regex

_CREATED_TASK = regex(r"Task #(\w+) created")
_LISTED_TASK = regex(r"(?m)^#(\w+)\.? \[(\w+)\] (.+)$")
_NO_TASKS, _NOT_FOUND = "No tasks found", "Task not found"
_CLOSED = frozenset({"completed", "deleted", "cancelled", "canceled"})
_MAX_TEXT = 500


class Todo(NamedTuple):
    """An item of the list. `record` is the record with its text, `seen` the record with its last change.

    `subject` is "" for an item of an earlier session.
    """

    id: str
    subject: str
    status: str
    record: int
    seen: int

    @property
    def name(self) -> str:
        """The subject, or the id if it has none."""
        return self.subject or f"task {self.id}"

    @property
    def open(self) -> bool:
        """Whether the item is neither completed, deleted nor cancelled."""
        return self.status not in _CLOSED


class Todos:
    """The todo list of one agent, built from its calls. A call that fails changes nothing."""

    TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"})

    def __init__(self) -> None:
        self._items: dict[str, Todo] = {}
        self._waiting: dict[str, tuple[int, str, Mapping[str, Any]]] = {}

    def call(self, record: int, id: str, name: str, given: Mapping[str, Any]) -> None:
        """Record a call of one of TOOLS. It takes effect when its result is recorded."""
        self._waiting[id] = (record, name, given)

    def result(self, record: int, id: str, text: str, failed: bool) -> None:
        """Apply the call `id` whose result is in `record`, unless it failed."""
        if (waiting := self._waiting.pop(id, None)) is not None and not failed:
            self._apply(*waiting, text, record)

    def now(self) -> tuple[Todo, ...]:
        """Return the current list. Calls without a result count as successful."""
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            self._apply(*call, "", call[0])
        return tuple(self._items.values())

    def _apply(self, record: int, name: str, given: Mapping[str, Any], text: str, end: int) -> None:
        if name == "TodoWrite":
            self._write(record, given.get("todos"))
        elif name == "TaskCreate":
            created = _CREATED_TASK.search(text)
            id = created[1] if created else str(len(self._items) + 1)
            self._items[id] = Todo(id, _read_text(given.get("subject")), "pending", record, record)
        elif name == "TaskUpdate":
            id = _read_text(given.get("taskId"))
            if text.startswith(_NOT_FOUND):
                self._items.pop(id, None)
            else:
                self._update(record, id, given)
        elif text.startswith(_NO_TASKS):
            self._items.clear()
        else:
            for id, status, subject in _LISTED_TASK.findall(text):
                self._items[id] = Todo(id, subject, status, end, end)

    def _write(self, record: int, todos: Any) -> None:
        if not isinstance(todos, list):
            return
        items = [item for item in todos if isinstance(item, dict)]
        self._items = {
            str(n): Todo(
                str(n), _read_text(item.get("content")), _read_text(item.get("status")) or "pending", record, record
            )
            for n, item in enumerate(items, 1)
        }

    def _update(self, record: int, id: str, given: Mapping[str, Any]) -> None:
        old = self._items.get(id) or Todo(id, "", "pending", record, record)
        renamed, status = _read_text(given.get("subject")), _read_text(given.get("status")) or old.status
        self._items[id] = Todo(id, renamed or old.subject, status, (record if renamed else old.record), record)


def _read_text(value: Any) -> str:
    return value[:_MAX_TEXT] if isinstance(value, str) else str(value) if isinstance(value, int) else ""
