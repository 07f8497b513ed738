"""Print the ids of the failing tests, one per line."""

import subprocess


def main() -> None:
    run = subprocess.run(["pytest", "-q", "--no-header", "-rf"], capture_output=True, text=True, timeout=1800)
    for line in run.stdout.splitlines():
        if line.startswith("FAILED "):
            print(line.removeprefix("FAILED ").split(" - ")[0])


if __name__ == "__main__":
    main()
