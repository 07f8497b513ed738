"""Test the forms in which sources, configurations and other markup write secrets, and similar texts without one."""

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from actions.secrets import WITHHELD, withhold_secrets
from actions.session.redaction import redact
from tests.growth import grows_at_most, measure_seconds

SECRETS = [
    'p.add_argument("--api-key", default="k14MFwg7drHilZO0fkXYo2")',
    'parser.add_argument("-p", "--password", help="the password", default="hunter22")',
    '@click.option("--token", default="hunter22x")',
    "@click.option('--db-password', envvar='DB_PASSWORD', default='hunter22')",
    'token: str = typer.Option("hunter22x", help="x")',
    'api_key: SecretStr = SecretStr("hunter22x")',
    '#define API_KEY "hunter22x"',
    '#  define WIFI_PASSWORD "hunter22"',
    '#define PASSWORD L"hunter22"',
    'const PASSWORD: &str = "hunter22";',
    'static API_KEY: &\'static str = "hunter22x";',
    'let secret: Option<&str> = "hunter22";',
    'const password: string | undefined = "hunter22";',
    "let apiKey: string | null = 'hunter22x'",
    'val password: String? = "hunter22"',
    'private val apiKey: String = "hunter22x"',
    'var password: std::string = "hunter22"',
    'api_key: Optional[str] = "hunter22x"',
    'const char API_KEY[] = "hunter22x";',
    'static const char *WIFI_PASSWORD = "hunter22";',
    'var apiKey string = "hunter22x"',
    'Dim password As String = "hunter22"',
    "ENV API_KEY hunter22x",
    "ENV DB_PASSWORD swordfish",
    'ENV PASSWORD "swordfish"',
    "  - {name: x, default: y} ; option('--token', { default: \"hunter22x\" })",
    "ghp%5F8f14e45fceea167a5a36dedd4bea25438f14",
    r"ghp\_8f14e45fceea167a5a36dedd4bea25438f14",
    "ghp&#95;8f14e45fceea167a5a36dedd4bea25438f14",
    "ghp_8f14e45fceea\u200b167a5a36dedd4bea25438f14",
    "password%3Dhunter22",
    "&lt;password&gt;hunter22&lt;/password&gt;",
    "&quot;password&quot;:&quot;hunter22&quot;",
    "ENV SECRET_KEY hunter22x",
    'options.Add("--token", default_value="hunter22x")',
    "-----BEGIN+PRIVATE+KEY-----%0AMIIEowIBAAKCAQEAq7Zp2Lx9Vb4Kt8Wm3Rs6Hd1Nw5%0A-----END+PRIVATE+KEY-----",
]
WIDER_FORMS = [
    "API_KEY := hunter22x",
    "DB_PASSWORD ?= hunter22x",
    "export API_KEY ::= hunter22x",
    "apiKey := `hunter22x`",
    'password = """hunter22x"""',
    "password: str = '''hunter22x'''",
    'const string Password = @"hunter22x";',
    'source.setPassword("hunter22x");',
    'builder.password("hunter22x")',
    '{"name": "DB_PASSWORD", "value": "hunter22x"}',
    "env: {name: API_KEY, value: hunter22x}",
    "mot de passe : hunter22x",
    "Mot de passe\u00a0: hunter22x",
]
TEXTS = [
    "TOKENS := $(wildcard src2/*.x)",
    "token := next2",
    "SECRET_FILE := /run/secrets/x2",
    "API_KEY ?= $(KEY2)",
    "query := `SELECT 2`",
    'password = """',
    "source.setPassword(password2)",
    'client.token("token")',
    '{"name": "DB_PASSWORD", "valueFrom": {"key": "x2"}}',
    '{"name": "DB_PASSWORD", "value": "${DB_PASSWORD2}"}',
    "mot de passe : oublié",
    "password: <the 2nd one of the vault>",
    "token_count = 123456",
    '"token_count": 123456,',
    'const AUTH_TOKEN_STORAGE_KEY = "app.auth.token.v2";',
    "export const TOKEN_STORAGE_KEY = 'bird.token.v1'",
    'TOKEN_CACHE_KEY = "birds:token:v2"',
    'tokenEndpoint: "https://idp.example/x/oauth2/token"',
    "token_url = https://idp.example:8443/realms/birds2/protocol/token",
    '"token_endpoint": "https://idp.example/common/oauth2/v2.0/token",',
    "login user1 password expired",
    "login user1 password required",
    "secret my-secret-name-v2-for-prod-cluster",
    "token refresh_token_v2_endpoint_path",
    "sk-learn-contrib-something-2-long-name",
    "hf_transformers_model_loader_v2_long_function_name",
    "npm_config_registry_of_the_birds_2_and_the_gulls",
    "PASSWORD_MIN_LENGTH_2 = 12",
    "password_length: 8-20",
    'parser.add_argument("--token", default="")',
    'parser.add_argument("--token", default=None, help="v2 of it")',
    'parser.add_argument("--token", help="your token"); parser.add_argument("--model", default="gpt-4o-mini")',
    'parser.add_argument("--max-tokens", type=int, default="4096x1")',
    'parser.add_argument("--token-file", default="./token1.txt")',
    'parser.add_argument("--api-key", default=os.environ.get("API_KEY_2"))',
    '@click.option("--token", envvar="BIRD_TOKEN_2", default="BIRD_TOKEN_2")',
    '#define TOKEN_COUNT "12"',
    '#define TOKEN_STRING "string"',
    "#define MAX_TOKEN_LENGTH 4096",
    'const PASSWORD: &str = "password";',
    'token: str | None = None, name: str = "v2-of-it"',
    "ENV PATH /usr/local/bin1",
    "ENV TOKEN_FILE /run/secrets/token1",
    "ENV API_KEY=$API_KEY2",
    "ENV API_KEY",
    "ENV variables: see API_KEY documentation2",
    "type Token string",
    "100%2 of the tokens",
    "https://host.example/a%20b/c%5Fd",
    "a &lt; b &amp;&amp; c2",
    r'r"\d{3}\-\d{4}"',
    "token_type: bearer2",
    'TOKEN_HEADER = "X-Token-V2"',
]


@pytest.mark.parametrize("line", [*SECRETS, *WIDER_FORMS])
def test_value_of_each_form_is_hidden(line):
    assert list(withhold_secrets([line])) == [WITHHELD]
    assert "[hidden]" in redact(f"Use:\n{line}\nthen go on.")


@pytest.mark.parametrize("line", TEXTS)
def test_text_of_a_similar_form_is_kept(line):
    assert list(withhold_secrets([line])) == [line]
    assert redact(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "test_UserLogin_with_expired_token_redirects_to_login_page_2",
        "mcp__plugin_My_Plugin_server__do_the_thing_number_2_now",
        "git switch feature/BIRD-1234-add-refresh-of-tokens-to-the-login-page",
        "auth: none",
        "    secrets: inherit",
        "credentials: include",
        "id-token: write",
        "Authorization: Bearer <token>",
        'curl -H "Authorization: Bearer $TOKEN" https://host.example',
        "Basic authentication is used.",
        "### Basic Usage2",
        'password = os.environ["DB_PASSWORD"]',
        "def moor(token: str) -> None:",
    ],
)
def test_redact_keeps_names_and_words(text):
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "auth: noneOfYours22",
        "Authorization: Bearer swordfishswordfish",
        "Bearer Tern22-and-gull-33-x",
        "Basic dXNlcjpzd29yZGZpc2g=",
        "token=Abc.def(22",
        "key aB3x-Kd82_mQz71-pLw09_Rt5vXc24-nHs63_Yb9c",
        "sk-tern-gull-a1b2c3d4e5f6",
        "hf_" + "aB3x" * 9,
        "token_url=https://host.example/hooks/a1b2c3d4e5f6",
        "token_url=https://host.example/x?key=a1b2c3d4e5f6a7b8",
        "login gull password swordfish",
        "password correct-horse-battery-staple-22",
    ],
)
def test_redact_hides_keys_like_names_and_words(text):
    assert "[hidden]" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        'parser.add_argument(\n    "--api-key",\n    help="the key",\n    default="hunter22x",\n)\nx = 1',
        "@click.option(\n    '--token',\n    default='hunter22x',\n)\nx = 1",
        'variable "db_password" {\n  type = string\n  default = "hunter22x"\n}\nx = 1',
    ],
)
def test_default_below_its_name_is_hidden(text):
    withheld = list(withhold_secrets(text.split("\n")))
    assert [line for line in text.split("\n") if "hunter22x" in line and line in withheld] == []
    assert withheld.count(WITHHELD) == 1
    assert "hunter22x" not in redact(text)


def test_default_of_the_next_option_is_kept():
    text = (
        'parser.add_argument(\n    "--api-key",\n)\nparser.add_argument(\n    "--model",\n    default="gpt-4o-mini",\n)'
    )
    assert list(withhold_secrets(text.split("\n"))) == text.split("\n")


BODY = "".join(base64.b64encode(bytes([n, 7 * n % 256, 255 - n])).decode() for n in range(240))
LINES = [BODY[n : n + 64] for n in range(0, len(BODY), 64)]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----"])


def wrap(text):
    return "\n".join(text[n : n + 76] for n in range(0, len(text), 76))


KEYS = {
    "wrapped base64": wrap(base64.b64encode(PEM.encode()).decode()),
    "indented base64": "tls.key: |\n  " + wrap(base64.b64encode(PEM.encode()).decode()).replace("\n", "\n  "),
    "base64 with a line in front": wrap(base64.b64encode(f"\n{PEM}".encode()).decode()),
    "percent codes": f"https://host.example/?key={quote(PEM)}&b=1",
    "percent codes and pluses": quote_plus(PEM),
    "line breaks as %0A": PEM.replace("\n", "%0A"),
    "line breaks of XML": PEM.replace("\n", "&#10;"),
    "line breaks of HTML": PEM.replace("\n", "<br>"),
    "lines and line breaks of HTML": PEM.replace("\n", "<br/>\n"),
    "octal codes": PEM.replace("\n", r"\012"),
    "table": "\n".join(f"| {line} |" for line in PEM.split("\n")),
    "JSON of percent codes": json.dumps({"key": quote(PEM)}),
}


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("hide", [lambda text: "\n".join(withhold_secrets(text.split("\n"))), redact])
def test_each_line_of_a_key_in_other_markup_is_hidden(name, hide):
    text = KEYS[name]
    parts = {text[n : n + 16] for n in range(60, len(text) - 60, 16)}
    hidden = hide(f"Use this key.\n{text}\nThen cast off: now.")
    assert hidden.startswith("Use this key.\n")
    assert hidden.endswith("\nThen cast off: now.")
    assert sum(part in hidden for part in parts) == 0


@pytest.mark.parametrize(
    "unit",
    [
        '"--token", ',
        '"--token", default="',
        'variable "token" { ',
        "#define token ",
        '#define token "a',
        "token: &'a ",
        "token: a | ",
        "token: a<",
        "token = Option(",
        "ENV A_TOKEN ",
        "ENV A_TOKEN\n",
        "%5F",
        "&#95;",
        "<br>",
        "\u200b",
        "LS0tLS1CRUdJTi" + "A1a" * 9 + "\n",
        "token=https://a/",
        "secret a-b-",
        "sk-a-1-",
        "Aa_1_",
        "token=a.b",
        "basic a-",
        '"--token",\n',
        "login a password ",
    ],
)
@pytest.mark.parametrize("hide", [lambda text: list(withhold_secrets(text.split("\n"))), redact])
def test_forms_of_sources_take_linear_time(unit, hide):
    def measure(size):
        return measure_seconds(lambda: hide((unit * size)[:size]))

    assert grows_at_most(measure, 30_000, 60_000, factor=3)
