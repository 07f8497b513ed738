"""The todo list of a session, followed through its tool calls: TodoWrite, and TaskCreate with TaskUpdate."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_CREATED = re.compile(r"Task #(\w+) created")
_LISTED = re.compile(r"^#(\w+)\.? \[(\w+)\] (.+)$", re.MULTILINE)
_CLOSED = frozenset({"completed", "deleted", "cancelled", "canceled"})
_LIMIT = 500


class Todo(NamedTuple):
    """An item of the list; `record` is the record that last said something of it."""

    id: str
    subject: str
    status: str
    record: int

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status not in _CLOSED


class Todos:
    """Follows the todo calls of one agent. A call that fails changes nothing."""

    TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList"})

    def __init__(self) -> None:
        self._items: dict[str, Todo] = {}
        self._waiting: dict[str, tuple[int, str, Mapping[str, Any]]] = {}

    def call(self, record: int, id: str, name: str, given: Mapping[str, Any]) -> None:
        """Note a call of one of TOOLS; it takes effect with its result."""
        self._waiting[id] = (record, name, given)

    def result(self, id: str, text: str, failed: bool) -> None:
        """Carry out the call `id`, unless it failed."""
        waiting = self._waiting.pop(id, None)
        if waiting is not None and not failed:
            self._carry_out(*waiting, text)

    def now(self) -> tuple[Todo, ...]:
        """Give the list as it stands; calls whose result is not there yet count as done."""
        waiting, self._waiting = self._waiting, {}
        for call in waiting.values():
            self._carry_out(*call, "")
        return tuple(self._items.values())

    def _carry_out(self, record: int, name: str, given: Mapping[str, Any], text: str) -> None:
        if name == "TodoWrite":
            self._write(record, given.get("todos"))
        elif name == "TaskCreate":
            made = _CREATED.search(text)
            id = made[1] if made else str(len(self._items) + 1)
            self._items[id] = Todo(id, _text(given.get("subject")), "pending", record)
        elif name == "TaskUpdate":
            self._update(record, _text(given.get("taskId")), given)
        else:
            for id, status, subject in _LISTED.findall(text):
                self._items[id] = Todo(id, subject, status, record)

    def _write(self, record: int, todos: Any) -> None:
        if not isinstance(todos, list):
            return
        items = [item for item in todos if isinstance(item, dict)]
        self._items = {
            str(n): Todo(str(n), _text(item.get("content")), _text(item.get("status")) or "pending", record)
            for n, item in enumerate(items, 1)
        }

    def _update(self, record: int, id: str, given: Mapping[str, Any]) -> None:
        old = self._items.get(id) or Todo(id, f"task {id}", "pending", record)
        self._items[id] = Todo(
            id, _text(given.get("subject")) or old.subject, _text(given.get("status")) or old.status, record
        )


def _text(value: Any) -> str:
    return value[:_LIMIT] if isinstance(value, str) else str(value) if isinstance(value, int) else ""
