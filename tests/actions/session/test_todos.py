"""Test the todo list that results from the tool calls of a session."""

from actions.session.todos import Todos


def list_items_after(*calls):
    todos = Todos()
    for n, (name, tool_input, text, failed) in enumerate(calls):
        todos.record_call(2 * n, str(n), name, tool_input)
        todos.record_result(2 * n + 1, str(n), text, failed)
    return [(todo.name, todo.status, todo.is_open) for todo in todos.list_items()]


def test_last_list_counts():
    first = ("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]}, "", False)
    second = ("TodoWrite", {"todos": [{"content": "a", "status": "completed"}]}, "", False)
    assert list_items_after(first, second) == [("a", "completed", False)]


def test_failed_call_changes_nothing():
    assert (
        list_items_after(("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]}, "No such tool", True)) == []
    )


def test_tasks_are_matched_by_the_number_in_the_result():
    create_call = ("TaskCreate", {"subject": "Ring"}, "Task #7 created successfully: Ring", False)
    update_call = ("TaskUpdate", {"taskId": "7", "status": "in_progress"}, "Updated", False)
    assert list_items_after(create_call, update_call) == [("Ring", "in_progress", True)]


def test_task_list_sets_the_status():
    assert list_items_after(("TaskList", {}, "#1 [completed] Ring\n#2 [pending] Weigh", False)) == [
        ("Ring", "completed", False),
        ("Weigh", "pending", True),
    ]


def test_task_of_an_earlier_session_is_named_by_its_number():
    assert list_items_after(("TaskUpdate", {"taskId": "3", "status": "in_progress"}, "", False)) == [
        ("task 3", "in_progress", True)
    ]


def test_deleted_task_is_closed():
    create_call = ("TaskCreate", {"subject": "Ring"}, "Task #1 created", False)
    assert list_items_after(create_call, ("TaskUpdate", {"taskId": "1", "status": "deleted"}, "", False)) == [
        ("Ring", "deleted", False)
    ]


def test_call_without_a_result_counts():
    todos = Todos()
    todos.record_call(0, "x", "TodoWrite", {"todos": [{"content": "a", "status": "pending"}]})
    assert [todo.is_open for todo in todos.list_items()] == [True]


def test_malformed_values_raise_no_exception():
    malformed_call = ("TodoWrite", {"todos": [7, None, {"content": ["x"], "status": 3}]}, "", False)
    assert list_items_after(
        malformed_call, ("TodoWrite", {"todos": "all"}, "", False), ("TaskUpdate", {"taskId": None}, "", False)
    )
