"""The site is built without a warning, and its how-to pages run as written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reader import printed_by
from wiretape.codex.rules import RULES as CODEX_RULES

ROOT = Path(__file__).parents[2]
HOW_TO = ROOT / "docs" / "how-to"
CLIENTS = ROOT / "tests" / "examples" / "clients"
PLAINLY = "-p no:cacheprovider -p no:asyncio"


def block(page: str, language: str, beginning: str) -> str:
    """The code block of a how-to page that begins so."""
    text = (HOW_TO / page).read_text("utf-8")
    (found,) = re.findall(
        rf"^```{language}\n({re.escape(beginning)}.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    return str(found)


def built(docs: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", str(docs), str(site)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = built(ROOT / "docs", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "EventStreamDecoder" in (tmp_path / "api" / "frames.html").read_text("utf-8")
    assert "<h2>Two commands" in (tmp_path / "project" / "readme.html").read_text("utf-8")


def test_a_link_to_nowhere_stops_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copy(ROOT / "docs" / "conf.py", docs)
    (docs / "index.md").write_text("# A page\n\n[no such page](nowhere.md)\n", encoding="utf-8")
    done = built(docs, tmp_path / "site")
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_the_entry_of_a_javascript_client_works_as_written(tmp_path: Path) -> None:
    shutil.copy(CLIENTS / "flow_a_stream.mjs", tmp_path)
    client, _, _ = (CLIENTS / "flow_a_client.mjs").read_text("utf-8").partition("main().catch")
    client = client.replace("class Client {", "export class Client {")
    (tmp_path / "my-client.mjs").write_text(client, encoding="utf-8")
    entry = block("typescript-client.md", "js", "// wiretape-entry.mjs")
    (tmp_path / "wiretape-entry.mjs").write_text(entry, encoding="utf-8")
    once, _all = block("typescript-client.md", "sh", "wiretape check --cassette").splitlines()
    assert "alefita_way: ok" in printed_by(once, tmp_path)


def test_the_commands_for_a_python_client_end_in_a_passing_test(tmp_path: Path) -> None:
    commands = block("python-client.md", "sh", "wiretape init").strip().splitlines()
    assert "3 passed" in printed_by(" && ".join(commands), tmp_path, PYTEST_ADDOPTS=PLAINLY)


def test_the_test_for_a_python_library_passes_as_written(tmp_path: Path) -> None:
    for client in CLIENTS.glob("flow_a_*.py"):
        shutil.copy(client, tmp_path)
    (tmp_path / "my_client.py").write_text(
        "import asyncio\n\nimport aiohttp\nimport flow_a_client\n\n\n"
        "class Client:\n"
        "    def __init__(self, *where, **what):\n        self.made_of = where, what\n\n"
        "    def ask(self, text):\n        return asyncio.run(self.talk(text))\n\n"
        "    async def talk(self, text):\n"
        "        where, what = self.made_of\n"
        "        async with aiohttp.ClientSession() as http:\n"
        "            return await flow_a_client.Client(http, *where, **what).ask(text)\n",
        encoding="utf-8",
    )
    test = block("python-client.md", "python", "import pytest")
    (tmp_path / "test_my_client.py").write_text(test, encoding="utf-8")
    assert "3 passed" in printed_by("python -m pytest", tmp_path, PYTEST_ADDOPTS=PLAINLY)


def test_the_rules_that_the_app_server_page_names_exist() -> None:
    page = (HOW_TO / "app-server-client.md").read_text("utf-8")
    named = set(re.findall(r"`(codex\.[a-z-]+\.[a-z-]+)`", page))
    assert named
    assert named <= {rule.id for rule in CODEX_RULES}
