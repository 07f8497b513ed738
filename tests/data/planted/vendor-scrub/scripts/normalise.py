"""Bring the rows of a vendor export into one form, or look at its columns."""

import argparse
import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path

FORMS = Path(__file__).parent.parent / "specs" / "legal-forms.txt"
TARGET = Path("work/normalised.csv")
FIELDS = ["id", "name", "form", "street", "city", "country", "iban", "iban_ok", "tax_id", "terms", "changed"]


def fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def split_form(name: str, forms: list[str]) -> tuple[str, str]:
    for form in forms:
        if name.endswith(" " + form):
            return name[: -len(form)].rstrip(" ,"), form
    return name, ""


def valid_iban(iban: str) -> bool:
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", iban):
        return False
    turned = iban[4:] + iban[:4]
    return int("".join(str(int(c, 36)) for c in turned)) % 97 == 1


def rows(path: str, delimiter: str):
    with open(path, newline="", encoding="utf-8-sig") as source:
        yield from csv.DictReader(source, delimiter=delimiter)


def normalised(state: dict, extra: list[str]):
    forms = sorted(FORMS.read_text().split("\n") + extra, key=len, reverse=True)
    forms = [form for form in forms if form]
    columns = state["columns"]
    for row in rows(state["source"], state["delimiter"]):
        value = {field: (row.get(column) or "").strip() for field, column in columns.items()}
        name, form = split_form(fold(value.get("name", "")), forms)
        iban = re.sub(r"\s", "", value.get("iban", "")).upper()
        yield {
            "id": row[state["id_column"]].strip(),
            "name": name,
            "form": form,
            "street": fold(value.get("street", "")),
            "city": fold(value.get("city", "")),
            "country": value.get("country", "").upper(),
            "iban": iban,
            "iban_ok": "yes" if valid_iban(iban) else "no",
            "tax_id": re.sub(r"[^A-Za-z0-9]", "", value.get("tax_id", "")).upper(),
            "terms": fold(value.get("terms", "")),
            "changed": value.get("changed", ""),
        }


def unique(path: str, column: str) -> int:
    with open(path, newline="", encoding="utf-8-sig") as source:
        delimiter = csv.Sniffer().sniff(source.readline()).delimiter
    counts = Counter((row.get(column) or "").strip() for row in rows(path, delimiter))
    bad = counts.pop("", 0) + sum(n for n in counts.values() if n > 1)
    print(f"{bad} rows are empty or doubled in {column}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", help="work/state.json, or the export with --unique")
    parser.add_argument("--unique", metavar="COLUMN")
    parser.add_argument("--tails", action="store_true")
    parser.add_argument("--form", action="append", default=[], help="one more legal form")
    args = parser.parse_args()
    if args.unique:
        return unique(args.path, args.unique)
    state = json.loads(Path(args.path).read_text())
    result = list(normalised(state, [fold(form) for form in args.form]))
    if args.tails:
        tails = Counter(row["name"].split()[-1] for row in result if " " in row["name"])
        print("\n".join(f"{count:6} {word}" for word, count in tails.most_common(20)))
        return 0
    with open(TARGET, "w", newline="", encoding="utf-8") as target:
        writer = csv.DictWriter(target, FIELDS)
        writer.writeheader()
        writer.writerows(result)
    print(sum(1 for row in result if row["iban"] and row["iban_ok"] == "no"), "IBANs did not pass")
    print(sum(1 for row in result if not row["name"]), "rows without a name")
    return 0


if __name__ == "__main__":
    sys.exit(main())
