"""Drive a headless Chromium to test pages and take pictures of them."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from selenium import webdriver

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --hide-scrollbars --force-color-profile=srgb"
).split()


class Browser:
    """A page in Chromium; sizes are in CSS pixels."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def show(self, page: Path, width: int = 1200, height: int = 900, *, dark: bool = False, media: str = "") -> None:
        """Load a file in a window of this size, with a light or dark color scheme, for the screen or for print."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send_command("Emulation.setEmulatedMedia", media=media, features=scheme)
        self.send_command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.driver.get(page.resolve().as_uri())

    def send_command(self, command: str, **values: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, values)

    def run_script(self, script: str, *values: object) -> Any:
        """Return the result of a script; a promise is awaited."""
        return self.driver.execute_async_script(
            "const [done, ...given] = [arguments[arguments.length - 1], ...arguments];"
            f"Promise.resolve((function () {{ {script} }}).apply(null, given)).then(done, (e) => done('failed: ' + e))",
            *values,
        )

    def read_console(self) -> list[str]:
        """Return the console messages since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def take_picture(self, *, whole: bool = False) -> bytes:
        """Return a PNG of the window, or of the whole page."""
        return base64.b64decode(
            self.send_command("Page.captureScreenshot", captureBeyondViewport=whole, **self._clip(whole))["data"]
        )

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.send_command("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start a Chromium with a fresh profile, and stop it afterwards."""
    with TemporaryDirectory(prefix="tune-skill-browser-") as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = str(CHROMIUM)
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options, webdriver.ChromeService(str(DRIVER)))
        try:
            yield Browser(driver)
        finally:
            driver.quit()
