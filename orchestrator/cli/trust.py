"""`trust`: makes a work dir the user's own that no run of theirs made here."""

import click

from orchestrator.cli.output.text import safe
from orchestrator.exits import Exit


@click.command()
@click.argument("run")
def trust(run: str) -> Exit:
    """Let RUN change its skill, though none of your runs made its work dir here.

    A work dir comes with a clone, from a cache of CI, or with a home folder that was moved. What stands in it is
    obeyed from then on: its options, its fixes, its rollbacks. Look at it first.

    \b
    Examples:
      tune-skill status 20261121-1200
      tune-skill trust 20261121-1200
    """
    from orchestrator.run.store import StateStore
    from orchestrator.run.work_dirs import find_run
    from orchestrator.run.workspace.known import make_known, usable

    work_dir = find_run(run)
    skill = usable(work_dir, StateStore(work_dir).load(read_only=True).target_skill.path)
    make_known(work_dir, skill)
    click.echo(f"{safe(str(work_dir))} is yours now: it may change {safe(str(skill))}")
    return Exit.OK
