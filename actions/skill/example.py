"""Build the skill of a pattern's or a strategy's example."""

from collections.abc import Mapping

Example = str | Mapping[str, str]
"""The skill of an example: the body of SKILL.md, or a map from paths to texts. A missing SKILL.md is added."""
Examples = Example | tuple[Example, ...]
HEAD = "---\nname: example\ndescription: Does one thing well. Use when that thing is asked for.\n---\n\n"


def list_examples(examples: Examples) -> tuple[Example, ...]:
    """Return examples as a tuple. A single example may be given without one."""
    return examples if isinstance(examples, tuple) else (examples,)


def build_example_files(example: Example) -> Mapping[str, str]:
    """Return the files of an example's skill, as a map from paths to texts.

    A string is the body of SKILL.md. A missing SKILL.md is added, with references to the other Markdown files. `HEAD`
    is prepended if SKILL.md has no frontmatter.
    """
    files = {"SKILL.md": example} if isinstance(example, str) else dict(example)
    if (main := files.get("SKILL.md")) is None:
        rest = "\n".join(f"Read [{path}]({path}) and follow it." for path in sorted(files) if path.endswith(".md"))
        main = f"# Example\n\n{rest}\n"
    files["SKILL.md"] = main if main.startswith("---") else HEAD + main
    return files
