"""Print the size, the merged ranges and the number of formulas of the sheets of a workbook."""

import argparse
import sys

from openpyxl import load_workbook


def formulas(ws) -> int:
    return sum(1 for row in ws.iter_rows() for cell in row if cell.data_type == "f")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    args = parser.parse_args()
    try:
        wb = load_workbook(args.file)
    except (OSError, KeyError, ValueError) as error:
        print(f"cannot read {args.file}: {error}", file=sys.stderr)
        return 1
    for ws in wb.worksheets:
        merged = ", ".join(str(area) for area in ws.merged_cells.ranges) or "none"
        print(f"{ws.title}: {ws.dimensions}, merged: {merged}, formulas: {formulas(ws)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
