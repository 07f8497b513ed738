"""Test which files count as files of secrets, by their paths."""

import pytest

from actions.secrets import is_secret_path


@pytest.mark.parametrize(
    "path",
    """.env-prod .env~ .env/prod credentials.json.bak .npmrc.bak aws-credentials.json my-secrets.yaml secrets.enc.yaml
    application_default_credentials.json config/secrets.production.json application-secrets.yml id_rsa_work deploy_key
    .config/gh/hosts.yml .s3cfg .boto .vault-token .yarnrc.yml .bash_history config/prod.env.local gcp-key.json
    .databrickscfg x.pem.txt master.key.enc server.crt.key.1 wallet.dat keys.json
    tools/api_key.txt .openai_api_key apikey.json bot_token.txt .dev.vars .dev.vars.production .flaskenv wp-config.php
    .vault_pass ansible/vault-pass.txt AuthKey_1.p8 web.keytab
    .terraform/terraform.tfstate.d/x Secrets/a.txt .SSH/x""".split(),
)
def test_file_of_secrets_is_known_by_its_path(path):
    assert is_secret_path(path)


@pytest.mark.parametrize(
    "path",
    "secrets.py docs/manage-secrets.md .env.example credentials.sample.json environment.md key.md tokenizer.json prod.env.example monkey.json settings.local.json vite.env.ts api_key.py docs/api-key.md wp-config-sample.php design-tokens.json tokenizer.txt dev.vars.md".split(),
)
def test_file_about_secrets_is_not_a_file_of_secrets(path):
    assert not is_secret_path(path)
