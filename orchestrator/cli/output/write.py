"""Write a result to a file that the user names."""

import os
from pathlib import Path

import click

from orchestrator.cli.output.registry import format_result, print_result
from orchestrator.errors import BadInput
from orchestrator.fs import durable, nofollow

output_option = click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout.")


def write_result(result: object, format_: str, output: str | None) -> None:
    """Write a result to the file `output`, or print it without one. Raises BadInput."""
    if output is None:
        print_result(result, format_)
        return
    text = format_result(result, format_)
    _write_file(Path(output), text.encode() if isinstance(text, str) else text)


def _write_file(path: Path, text: bytes) -> None:
    """Replace a file, or write into a pipe or device. Links inside of a project are not followed."""
    if linked := nofollow.find_link(str(path)):
        raise BadInput(
            f"cannot write {path}: {linked} is a link, and links in a project are not followed; name another file"
        )
    if not path.parent.is_dir():
        raise BadInput(f"cannot write {path}: there is no folder {path.parent}; create it, or name another file")
    if not path.exists() or path.is_file():
        durable.write_bytes(Path(os.path.realpath(path)), text)
        return
    try:
        fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # do not wait for a reader of a pipe
        os.set_blocking(fd, True)
        with os.fdopen(fd, "wb") as target:
            target.write(text)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}; name another file") from error
