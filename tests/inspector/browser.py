"""A real Chromium, as the tests of the inspector use it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

CHROMIUM = shutil.which("chromium")
CHROMEDRIVER = shutil.which("chromedriver")
MUST_RUN = os.environ.get("CI", "").lower() == "true"
needs_chromium = pytest.mark.skipif(
    not MUST_RUN and not (CHROMIUM and CHROMEDRIVER), reason="chromium and chromedriver are not installed"
)
WITHIN = 20.0
"""Seconds that a page may take to show what a test waits for."""
SCREENSHOTS = Path(__file__).parents[2] / "reports" / "screenshots"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--force-prefers-reduced-motion"),
    "--disable-dev-shm-usage",  # a container has little of it
)


DOWN, UP, HOME, END, ESCAPE, ENTER, TAB = (
    *("\ue015", "\ue013", "\ue011", "\ue010"),
    *("\ue00c", "\ue007", "\ue004"),
)
"""Keys without a letter, as WebDriver names them."""
LIST = "const list = document.getElementById('timeline');"
"""Begins scripts about the timeline's list."""


class Browser:
    """A browser with one window. Waits have a limit, and a failed one says what was waited for."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        """Go to a page, and wait until it hears news of the server, if it asks for any."""
        self.driver.get(url)
        if self.count("[data-live], #timeline"):
            self.until(lambda: self.text("#connection") == "live", "the page to be connected")

    def script(self, text: str, *arguments: object) -> Any:
        """Run a function's body in the page; what it returns."""
        return self.driver.execute_script(text, *arguments)

    def count(self, selector: str) -> int:
        return int(self.script("return document.querySelectorAll(arguments[0]).length", selector))

    def text(self, selector: str) -> str:
        """The text of the first element; empty where there is none."""
        return str(
            self.script("return (document.querySelector(arguments[0]) || {}).innerText || ''", selector)
        ).strip()

    def texts(self, selector: str) -> list[str]:
        found = "return [...document.querySelectorAll(arguments[0])].map((each) => each.innerText.trim())"
        return [str(each) for each in self.script(found, selector)]

    def visible(self, selector: str) -> bool:
        seen = "const it = document.querySelector(arguments[0]); return it !== null && it.checkVisibility()"
        return bool(self.script(seen, selector))

    def keys(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def hover(self, selector: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        element = self.driver.find_element("css selector", selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()

    def focused(self) -> str:
        """What has the focus: its id, else its text."""
        return str(self.script("const at = document.activeElement; return at.id || at.innerText"))

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until something is so."""
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        try:
            WebDriverWait(self.driver, WITHIN, poll_frequency=0.05).until(lambda _: condition())
        except TimeoutException:
            self.picture("failed")
            pytest.fail(f"waited {WITHIN:g} s for {what}; the page says:\n{self.text('body')[:2000]}")

    def picture(self, name: str) -> None:
        """Keep a picture of the window, for people."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))

    def complaints(self) -> list[str]:
        """What the browser has said on its console since the last time: refused scripts, errors."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    @contextmanager
    def size(self, width: int, height: int) -> Iterator[None]:
        """A screen of another size, as a phone's."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        yield
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @contextmanager
    def scheme(self, name: Literal["light", "dark"]) -> Iterator[None]:
        """A user who prefers this colour scheme."""
        self._prefer(name)
        yield
        self._prefer("light")

    def _prefer(self, name: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or "chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1360,860"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER or "chromedriver"))
    driver.set_page_load_timeout(WITHIN)
    try:
        yield Browser(driver)
    finally:
        driver.quit()
