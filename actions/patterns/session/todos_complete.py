"""Items of the todo list are still open.

It is:
- items that are open in the list after the last TodoWrite, TaskCreate, TaskUpdate or TaskList, with no work after it
It is not:
- work that is done but not marked as done: after a later edit or command only a model can tell
- a list that its tool no longer has, or that waits for the user because the last answer asks a question
Why it is bad: Work that was planned and announced is missing, or the list no longer says what is done.
Instead: Finish the items, or remove those that are no longer wanted.
"""

from actions.patterns.session_pattern import SessionPattern
from actions.session.answer import Answer, answer_satisfied, answer_unknown, answer_violated
from actions.session.example import agent, todos, use, user
from actions.session.git import is_read_only
from actions.session.session import Session
from actions.session.transcript import Kind, Quote
from schemas.family import Family

PATTERN = SessionPattern("todos_complete", Family.MEMORY)
_MAX_NAMED = 5
_MAX_ENDING = 300
"""Number of last characters of an answer to search for a question."""
_WORKING_TOOLS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write", "Task", "Agent", "Skill"})
"""Tools that may have done the work of an item."""
_OPEN = use("TaskCreate", "Task #1 created successfully: Rename imports", subject="Rename imports")
BAD = (
    (user("Add an export and its tests."), todos(Write_export="completed", Test_export="pending"), agent("Done.")),
    (user("Rename the module."), _OPEN, use("TaskUpdate", "Updated task #1", taskId="1", status="in_progress")),
)
GOOD = (
    (user("Add an export."), todos(Write_export="completed"), agent("Done.")),
    (user("Rename the module."), _OPEN, use("TaskUpdate", "Updated task #1", taskId="1", status="deleted")),
)


def check(session: Session) -> Answer:
    """Find open todo items."""
    todos = session.transcript.todos
    open_todos = [todo for todo in todos if todo.is_open]
    if not open_todos:
        reason = "the todo list was emptied" if _had_items(session) else "there is no todo list"
        return answer_satisfied("every todo item is closed" if todos else reason)
    if _ends_with_question(session):
        return answer_unknown("items are open, and the last answer asks the user")
    if _has_work_after(session, max(todo.last_record for todo in todos)):
        return answer_unknown("items are open, but work went on after the list was last changed")
    names = "; ".join(f"{todo.name} ({todo.status})" for todo in open_todos[:_MAX_NAMED])
    more = f" and {len(open_todos) - _MAX_NAMED} more" if len(open_todos) > _MAX_NAMED else ""
    quotes = [Quote(todo.record, (todo.subject or todo.id).split("\n")[0]) for todo in open_todos[:_MAX_NAMED]]
    return answer_violated(f"{len(open_todos)} of {len(todos)} todo items are open: {names}{more}", *quotes)


def _had_items(session: Session) -> bool:
    return any(
        call.name == "TaskCreate" or (call.name == "TodoWrite" and bool(call.input.get("todos")))
        for call, result in session.transcript.steps
        if not call.agent and not (result and result.is_error)
    )


def _has_work_after(session: Session, record: int) -> bool:
    """Return whether the session went on after a record with work that may have finished an open item."""
    steps = ((call, result) for call, result in session.transcript.steps if call.record > record and not call.agent)
    uses_tools = any(
        (call.name in _WORKING_TOOLS or call.name.startswith("mcp__")) and not (result and result.is_refused)
        for call, result in steps
    )
    commands = (
        command
        for command in session.commands
        if command.record > record and command.may_have_run and not command.agent
    )
    return uses_tools or not all(map(is_read_only, commands))


def _ends_with_question(session: Session) -> bool:
    messages = [message for message in session.transcript.messages if message.kind in (Kind.PROMPT, Kind.ANSWER)]
    return bool(messages) and messages[-1].kind is Kind.ANSWER and "?" in messages[-1].text[-_MAX_ENDING:]
