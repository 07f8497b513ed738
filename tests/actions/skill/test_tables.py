"""Tables are read row by row, each cell behind the title of its column; entries of numbered lists by their numbers."""

from actions.example import example_case
from actions.skill.tables import table_rows

TABLES = """# Post

| What | When |
|:--|---:|
| letters | now |
| bills | never | more |
1. Open.
2) Read
   3. on.

```
4. Code.
```

| Who |
|---|
| me |
"""


def main(text=TABLES):
    return example_case({"SKILL.md": text}).skill.main


def test_each_table_has_titles_of_its_own_and_no_ruler():
    assert [row.cells for row in table_rows(main())] == [
        (("What", "letters"), ("When", "now")),
        (("What", "bills"), ("When", "never")),
        (("Who", "me"),),
    ]


def test_a_row_knows_its_line_and_all_that_it_says():
    file = main()
    assert [file.doc.line(row.line) for row in table_rows(file)] == [
        "| letters | now |",
        "| bills | never | more |",
        "| me |",
    ]
    assert table_rows(file)[0].text == "letters | now"


def test_entries_of_numbered_lists_have_their_numbers_code_has_none():
    file = main()
    assert [(file.doc.line(line).split()[0], number) for line, number in file.doc.numbered] == [
        ("1.", 1),
        ("2)", 2),
        ("3.", 3),
    ]
