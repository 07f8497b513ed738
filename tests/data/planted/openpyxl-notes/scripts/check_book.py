"""List what readers of a workbook will stumble over."""

import argparse
import re
import sys
from datetime import date, datetime

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter

NUMBER = re.compile(r"-?\d{1,3}(,?\d{3})*(\.\d+)?")
STRING = re.compile(r'"[^"]*"')
DEFAULT_WIDTH = 8.43


def cell_problems(ws):
    for row in ws.iter_rows():
        for cell in row:
            if cell.data_type == "s" and NUMBER.fullmatch(cell.value.strip()):
                yield f"{ws.title}!{cell.coordinate}: number stored as text"
            if cell.data_type == "f" and ";" in STRING.sub("", str(cell.value)):
                yield f"{ws.title}!{cell.coordinate}: semicolon in a formula"


def width_problems(ws):
    for index, column in enumerate(ws.iter_cols(values_only=True), start=1):
        letter = get_column_letter(index)
        width = ws.column_dimensions[letter].width or DEFAULT_WIDTH
        shown = [
            10 if isinstance(value, (date, datetime)) else len(f"{value:,.2f}")
            for value in column
            if isinstance(value, (int, float, date)) and not isinstance(value, bool)
        ]
        if shown and max(shown) > width:
            yield f"{ws.title}!{letter}: too narrow, needs {max(shown) + 2}"


def report(problems):
    for problem in problems:
        print(problem)
    print(f"{len(problems)} found")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    args = parser.parse_args()
    wb = load_workbook(args.file)
    problems = []
    for ws in wb.worksheets:
        problems.extend(cell_problems(ws))
        problems.extend(width_problems(ws))
    failed = report(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
