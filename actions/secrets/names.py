"""Define the parts of which the expressions for named values consist: names that say secret, quotes and values.

Every quantifier is bounded, because a line may be long and hostile.
"""

LETTER_AND_DIGIT = r"(?=[^\s\"']{0,200}[0-9])(?=[^\s\"']{0,200}[A-Za-z])"
"""A lookahead for a value with at least one digit and one letter."""
QUOTE = r"(?:\\{0,4}[\"'`])?"
"""An optional quote, which is escaped if the text is in a string."""
SECRET_KEY_NAME = (
    r"(?:passw(?:or)?[dt]|passphrase|passcode|mot[_ ]de[_ ]passe|kennwort|wachtwoord|contrase[nñ]a|senha"
    r"|пароль|密码|密碼|パスワード|비밀번호|(?<![a-z])(?:pwd|pw(?![a-z]))|secret|token(?!s|iz)|credential"
    r"|(?:api|access|account|private|signing|encryption|auth|master|hmac|jwt)[_-]?key)"
    r"(?![_-]?(?:key[_-]?)?(?:name|ref)(?:[^a-z]|$))\w{0,40}(?:\\{0,4}[\"'])?"
)
"""The name of a secret, but not of an object that refers to one (`secretName`, `secretKeyRef`)."""
COMMAND_CHARACTER = r"(?:.|(?<=\\)\n)"
"""A character of a command, which may continue on the next line."""
AUTHORIZATION_SCHEME = (
    r"(?:bearer|basic|token|digest|api-?key|key|jwt|oauth|negotiate|session|bot|genie-?key|sso-key|apitoken)[ \t]{1,3}"
)
"""The word in front of the value of an `Authorization` header."""
