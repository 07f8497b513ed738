"""Define the parts of which the expressions for named values consist: names that say secret, quotes and values.

Every quantifier is bounded, because a line may be long and hostile.
"""

LETTER_AND_DIGIT = r"(?=[^\s\"']{0,200}[0-9])(?=[^\s\"']{0,200}[A-Za-z])"
"""A lookahead for a value with at least one digit and one letter."""
QUOTE = r"(?:\\{0,4}[\"'`])?"
"""An optional quote, which is escaped if the text is in a string."""
REFERENCE = (
    r"(?![_-]?(?:(?:key[_-]?)?(?:name|ref)|count|limit|budget|usage|estimate|size|length|type|header|prefix|field"
    r"|(?:storage|cache)[_-]?key)(?:[^a-z]|$))"
)
"""A lookahead behind the name of a secret for no object that refers to one (`secretName`, `secretKeyRef`), no number of
tokens (`token_count`) and no place where one is kept (`TOKEN_STORAGE_KEY`)."""
SECRET_KEY_NAME = (
    r"(?:passw(?:or)?[dt]|passphrase|passcode|mot[_ ]de[_ ]passe|kennwort|wachtwoord|contrase[nñ]a|senha"
    r"|пароль|密码|密碼|パスワード|비밀번호|(?<![a-z])(?:pwd|pw(?![a-z]))|secret|token(?!s|iz)|credential"
    r"|(?:api|access|account|private|signing|encryption|auth|master|hmac|jwt)[_-]?key)"
    rf"{REFERENCE}\w{{0,40}}(?:\\{{0,4}}[\"'])?"
)
"""The name of a secret, but not of a reference to one."""
PLAIN_ADDRESS = (
    r"https?://[\w.-]{1,100}(?::\d{1,5})?(?:/[A-Za-z._~-]{0,30}\d{0,3}(?:\.\d{1,2})?){0,10}(?=[\"'`\s,;)\]}]|$)"
)
"""An address without a login, a query and a path of letters mixed with digits, such as an end point for tokens."""
NAME_OF_WORDS = r"(?:[a-z]{1,15}|v?\d{1,3})(?:[-_](?:[a-z]{1,15}|v?\d{1,3})){2,20}(?![\w+/=~!@#%^*-])"
"""A name of at least three words and numbers, such as that of an object or a function."""
ENCODED_KEY = r"(?:LS0tLS1CRUdJTi|Ci0tLS0tQkVHSU|b3BlbnNzaC1rZXktdjE|MII(?:Eow|EpA|EpQ|EvA|EvQ|EvgI|JK|JQ|Jj))"
"""The beginning of a private key in base64, or of the base64 of its text."""
ENCODED_KEY_BEGINNINGS = ("LS0tLS1CRUdJTi", "Ci0tLS0tQkVHSU", "b3BlbnNzaC1rZXktdjE", "MII")
"""Each match of `ENCODED_KEY` begins with one of these strings."""
COMMAND_CHARACTER = r"(?:.|(?<=\\)\n)"
"""A character of a command, which may continue on the next line."""
AUTHORIZATION_SCHEME = (
    r"(?:bearer|basic|token|digest|api-?key|key|jwt|oauth|negotiate|session|bot|genie-?key|sso-key|apitoken)[ \t]{1,3}"
)
"""The word in front of the value of an `Authorization` header."""
