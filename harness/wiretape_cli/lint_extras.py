"""The lint rules that need more than the core: the JSON Schema, and detect-secrets where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from wiretape import strictjson
from wiretape.cassette.plain_yaml import read_yaml
from wiretape.contract import Fault, Skip
from wiretape.lint import LintRule, Tape

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_DETECTORS: Final = (
    *("ArtifactoryDetector", "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector"),
    *("CloudantDetector", "DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector"),
    *("IbmCloudIamDetector", "IbmCosHmacDetector", "JwtTokenDetector", "MailchimpDetector", "NpmDetector"),
    *("OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector"),
    *(
        "SoftlayerDetector",
        "SquareOAuthDetector",
        "StripeDetector",
        "TelegramBotTokenDetector",
        "TwilioKeyDetector",
    ),
)
"""Those that know a kind of secret by its looks; the others guess, and take every id for one."""


def _schema(tape: Tape) -> Iterator[Fault]:
    for error in validator().iter_errors(read_yaml(tape.data)):
        yield Fault(
            error.json_path, "what the published schema says", error.message, "docs/cassette-format.md"
        )


@cache
def validator() -> Validator:
    """The validator of the cassette schema."""
    from jsonschema import Draft202012Validator

    schema = files("wiretape") / "schemas" / "cassette.schema.json"
    return Draft202012Validator(strictjson.loads(schema.read_bytes()))


def _detected(tape: Tape) -> Iterator[Fault | Skip]:
    try:
        from detect_secrets.core.scan import scan_line
        from detect_secrets.settings import transient_settings
    except ImportError:
        yield Skip("detect-secrets is not installed: pip install 'wiretape[lint]'")
        return
    with transient_settings({"plugins_used": [{"name": name} for name in _DETECTORS]}):
        for number, line in enumerate(tape.data.decode("utf-8", "replace").splitlines(), 1):
            for kind in sorted({found.type for found in scan_line(line)}):
                yield Fault(f"line {number}", "a pseudonym or a placeholder", kind, "replace the value")


RULES: Final = (
    LintRule(
        id="lint.schema",
        level="must",
        title="A cassette fits the published JSON Schema.",
        check=_schema,
    ),
    LintRule(
        id="lint.no-secrets-detected",
        level="must",
        title="No secret that detect-secrets knows by its looks stands in a cassette.",
        check=_detected,
    ),
)
