"""Chromium without a window, for what pages show."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

LIMIT = 60.0
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--no-first-run"),
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
)


@contextmanager
def chromium(folder: Path, width: int, height: int, *flags: str) -> Iterator[Any]:
    """A browser with a window of so many pixels, which keeps its profile and its downloads in a folder.

    Skips the test where there is none.
    """
    if not (CHROMIUM and DRIVER):
        pytest.skip("needs chromium and chromium-driver (Debian's packages)")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the Python package selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, *flags, f"--window-size={width},{height}", f"--user-data-dir={folder / 'profile'}"):
        options.add_argument(flag)
    again = {"profile.default_content_setting_values.automatic_downloads": 1}  # also without a hand's click
    options.add_experimental_option("prefs", {"download.default_directory": str(folder), **again})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    driver.set_page_load_timeout(LIMIT)
    try:
        yield driver
    finally:
        driver.quit()
