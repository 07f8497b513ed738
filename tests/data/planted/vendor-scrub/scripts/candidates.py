"""Put records that may be the same vendor into groups, and the groups into batches."""

import argparse
import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

SIZE = 25


def find(parent: dict, key: str) -> str:
    while parent[key] != key:
        parent[key] = parent[parent[key]]
        key = parent[key]
    return key


def groups(records: list[dict]) -> list[list[dict]]:
    parent = {record["id"]: record["id"] for record in records}
    seen: dict[tuple, str] = {}
    for record in records:
        keys = [("iban", record["iban"]), ("tax", record["tax_id"])]
        if record["name"] and record["city"]:
            keys.append(("name", record["name"], record["city"]))
        for key in keys:
            if not key[1]:
                continue
            if key in seen:
                parent[find(parent, record["id"])] = find(parent, seen[key])
            else:
                seen[key] = record["id"]
    joined = defaultdict(list)
    for record in records:
        joined[find(parent, record["id"])].append(record)
    return [members for members in joined.values() if len(members) > 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    with open(args.table, newline="", encoding="utf-8") as source:
        found = groups(list(csv.DictReader(source)))
    args.out.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(found), SIZE):
        batch = [{"id": f"g{start + i}", "members": m} for i, m in enumerate(found[start : start + SIZE])]
        (args.out / f"{start // SIZE + 1:03}.json").write_text(json.dumps(batch, indent=1))
    print(f"{len(found)} groups, {-(-len(found) // SIZE)} batches")
    return 0


if __name__ == "__main__":
    sys.exit(main())
