"""Send a mail to one of the lists of ~/.config/release-lists.json."""

import argparse
import json
import smtplib
import sys
from email.message import EmailMessage
from pathlib import Path

CONFIG = Path.home() / ".config" / "release-lists.json"


def build(path: Path, sender: str) -> EmailMessage:
    subject, _, body = path.read_text().partition("\n")
    mail = EmailMessage()
    mail["Subject"] = subject.strip()
    mail["From"] = sender
    mail["To"] = sender
    mail.set_content(body.strip() + "\n")
    return mail


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mail", type=Path)
    parser.add_argument("--list", required=True, dest="name")
    args = parser.parse_args()
    try:
        config = json.loads(CONFIG.read_text())
        people = config["lists"][args.name]
        mail = build(args.mail, config["sender"])
        with smtplib.SMTP(config["host"], timeout=30) as server:
            refused = server.send_message(mail, to_addrs=people)
    except (OSError, KeyError, ValueError, smtplib.SMTPException) as error:
        print(f"not sent: {error!r}", file=sys.stderr)
        return 1
    print(len(people) - len(refused))
    return 0


if __name__ == "__main__":
    sys.exit(main())
