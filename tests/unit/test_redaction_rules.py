from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.unit.planted import body, growing, session
from wiretape.cassette import dumps
from wiretape.delta_encoder import delta_event
from wiretape.redaction import (
    DEFAULT,
    Hit,
    Redactor,
    RulesError,
    SaveRefused,
    load_hook,
    load_rules,
    refuse_secrets,
    scan,
)
from wiretape.sse import encode


def written(folder: Path, text: str) -> Path:
    path = folder / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_rules_of_a_file_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_hook.py").write_text(
        "def find(text):\n    return ['blue whale'] if 'whale' in text else []\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    rules = load_rules(
        written(
            tmp_path,
            "names: [Tenant-Name]\nheaders: [X-Region]\nshapes: {ticket: 'TCK-([0-9]{4,})'}\n"
            "values: [Project Falcon]\nkeep: ['demo-.*']\nhook: my_hook:find\n",
        )
    )
    redactor = Redactor(rules)
    text = b'{"tenant_name":"SECRET-1","password":"demo-1","t":"TCK-12345, Project Falcon, a blue whale"}'
    assert redactor.body(text) == (
        b'{"tenant_name":"hidden-1","password":"demo-1","t":"TCK-~4~~~, ~2~~~~~ ~~~~~~, a ~3~~ ~~~~~"}'
    )
    assert redactor.headers([("X-Region", "eu"), ("X-Other", "eu")])[0] == ("X-Region", "eu")
    assert Redactor().body(text) != redactor.body(text)
    sys.modules.pop("my_hook")


def test_an_empty_file_changes_nothing(tmp_path: Path) -> None:
    assert load_rules(written(tmp_path, "")) == DEFAULT


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[", "expected a readable YAML file"),
        ("names: [a]\nvalues: [b]\nnames: [c]\n", "line 3"),
        ("- a", "expected a mapping with some of names, headers, shapes, values, keep, hook"),
        ("other: 1", "expected a mapping with some of"),
        ("names: a", "names: expected a list of texts, got 'a'"),
        ("values: [1]", r"values: expected a list of texts, got \[1\]"),
        ("values: ['']", "values: expected a list of texts"),
        ("headers: {}", "headers: expected a list of texts"),
        ("shapes: [a]", "shapes: expected a mapping of names to regular expressions"),
        ("shapes: {a: '('}", r"shapes: expected a regular expression, got '\('"),
        ("shapes: {a: 5}", "shapes: expected a regular expression, got 5"),
        ("keep: ['(']", "keep: expected a regular expression"),
        ("hook: nowhere_at_all:f", "hook: expected module:function that can be imported"),
        ("hook: json:nothing", "hook: expected module:function that can be imported"),
        ("hook: ':f'", "hook: expected module:function that can be imported"),
        ("hook: json", "hook: expected module:function, a function"),
        ("hook: 'json:__name__'", "hook: expected module:function, a function"),
    ],
)
def test_unusable_rules_are_refused_with_the_place(tmp_path: Path, text: str, complaint: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(RulesError, match=complaint) as refused:
        load_rules(path)
    assert str(refused.value).startswith(str(path))


def test_rules_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="expected a readable YAML file"):
        load_rules(tmp_path / "none.yaml")


def test_a_hook_is_a_function_of_a_module() -> None:
    assert load_hook("json:loads")("[]") == []


def test_a_scan_names_kind_and_place_and_never_the_value() -> None:
    raw = session(
        path="/x?verify=SECRET8",
        sent={"Authorization": "Bearer SECRET3", "X-Other": "SECRET9"},
        request=body(idToken="SECRET7"),
        response=b'data: {"type":"x","note":"me@corp.io"}\n\n',
    )
    hits = scan(dumps(raw))
    assert hits == [
        Hit(name="parameter verify", place="interactions[0].request.path"),
        Hit(name="Authorization", place="interactions[0].request.headers"),
        Hit(name="header X-Other", place="interactions[0].request.headers"),
        Hit(name="idToken", place="interactions[0].request.body"),
        Hit(name="e-mail address", place="interactions[0].response.body"),
    ]
    with pytest.raises(SaveRefused, match=r"interactions\[0\].request.path: parameter verify") as refused:
        refuse_secrets(dumps(raw), Redactor())
    assert refused.value.hits == tuple(hits)
    assert "SECRET" not in str(refused.value)
    refuse_secrets(dumps(Redactor().cassette(raw)), Redactor())


@pytest.mark.parametrize(
    "text",
    [
        b"SECRET/live+1",
        rb"SECRET\/live+1",
        rb"\u0053ECRET/live+1",
        b"SECRET%2Flive%2B1",
        b"eDogU0VDUkVUL2xpdmUrMSBpcyBpdA==",
        b"%53ECRET\\u002flive+1",
    ],
)
def test_a_live_secret_is_found_in_every_spelling(text: bytes) -> None:
    assert scan(b"x: " + text) == []
    assert {hit.place for hit in scan(b"x: " + text, [b"SECRET/live+1"])} == {"the text"}


def test_a_live_secret_is_found_in_what_deltas_add_up_to() -> None:
    data = dumps(
        session(response=growing("it is SECRETlive here", 2) + growing("x", 1) + b"event: delta\ndata: {\n\n")
    )
    assert scan(data) == []
    assert "interactions[0].response.body" in {hit.place for hit in scan(data, [b"SECRETlive"])}


def test_a_secret_that_only_the_decoder_sees_is_found_too() -> None:
    patch = [
        {"p": "/message/content/parts/0", "o": "add", "v": "first"},
        {"p": "/message/content/parts/1", "o": "append", "v": "live"},
    ]
    first, rest = growing("SECRET", 6), growing("x", 1)
    data = first + encode(delta_event({"p": "", "o": "patch", "v": patch})) + rest
    hits = scan(dumps(session(response=data)), [b"SECRETlive"])
    assert [hit.place for hit in hits] == ["interactions[0].response.body, decoded"]
