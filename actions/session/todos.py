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
    """An item of the todo list. `record` is the record with its text; `last_record` is the record of its last change.

    `subject` is "" for an item of an earlier session.
    """

    id: str
    subject: str
    status: str
    record: int
    last_record: int

    @property
    def name(self) -> str:
        """The subject, or the id if it has none."""
        return self.subject or f"task {self.id}"

    @property
    def is_open(self) -> bool:
        """Whether the item is neither completed, deleted nor cancelled."""
        return self.status not in _CLOSED


class Todos:
    """The todo list of an agent, built from the agent's calls. A call that fails does not change the list."""

    TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"})

    def __init__(self) -> None:
        self._items: dict[str, Todo] = {}
        self._waiting: dict[str, tuple[int, str, Mapping[str, Any]]] = {}

    def record_call(self, record: int, id: str, name: str, arguments: Mapping[str, Any]) -> None:
        """Record a call of one of TOOLS.

        The call changes the list only when its result is recorded.
        """
        self._waiting[id] = (record, name, arguments)

    def record_result(self, record: int, id: str, text: str, failed: bool) -> None:
        """Apply the call `id` to the todo list, unless the call failed. `record` is the record of the call's result."""
        if (waiting := self._waiting.pop(id, None)) is not None and not failed:
            self._apply(*waiting, text, record)

    def list_items(self) -> tuple[Todo, ...]:
        """Return the current list. Calls without a result count as successful."""
        calls, self._waiting = self._waiting, {}
        for call in calls.values():
            self._apply(*call, "", call[0])
        return tuple(self._items.values())

    def _apply(self, record: int, name: str, arguments: Mapping[str, Any], text: str, end: int) -> None:
        """Apply a call in `record` to the list. `text` is its result, in the record `end`."""
        if name == "TodoWrite":
            self._write(record, arguments.get("todos"))
        elif name == "TaskCreate":
            created = _CREATED_TASK.search(text)
            id = created[1] if created else str(len(self._items) + 1)
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
        """Replace the list with the `todos` of a TodoWrite call."""
        if not isinstance(todos, list):
            return
        self._items = {}
        items = [item for item in todos if isinstance(item, dict)]
        for number, item in enumerate(items, 1):
            id, status = str(number), _read_text(item.get("status")) or "pending"
            self._items[id] = Todo(id, _read_text(item.get("content")), status, record, record)

    def _update(self, record: int, id: str, arguments: Mapping[str, Any]) -> None:
        """Change the subject and the status of an item if the call has them; add the item if it is unknown."""
        old = self._items.get(id) or Todo(id, "", "pending", record, record)
        subject, status = _read_text(arguments.get("subject")), _read_text(arguments.get("status"))
        text_record = record if subject else old.record
        self._items[id] = Todo(id, subject or old.subject, status or old.status, text_record, record)


def _read_text(value: Any) -> str:
    """Return a string, shortened to _MAX_TEXT, or an integer as text. Returns "" for anything else."""
    if isinstance(value, str):
        return value[:_MAX_TEXT]
    return str(value) if isinstance(value, int) else ""
