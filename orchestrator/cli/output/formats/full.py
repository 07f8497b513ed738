"""Print a diagnosis with details: one heading per pattern, each place with its line, and what to do instead."""

from orchestrator.cli.output.registry import Format
from orchestrator.cli.output.results import Diagnosis


def format_diagnosis(result: Diagnosis) -> str:
    """Return each skill with its findings by pattern, and a summary."""
    from orchestrator.cli.output.details import format_row
    from orchestrator.cli.output.diagnosis import format_rows

    return format_rows(result.rows, format_row, skip_clean=False)


FORMAT = Format("full", {Diagnosis: format_diagnosis})
