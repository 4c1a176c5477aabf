"""The colours of the page can be read, in light, in dark and on paper."""

import re
from pathlib import Path

import pytest

import optimand.report

CSS = (Path(optimand.report.__file__).parent / "templates/report.css").read_text()
THEMES = re.findall(r":root \{([^}]*)\}", CSS)


def colours(theme):
    return dict(re.findall(r"--(\w+): (#[0-9a-f]{3,6});", theme))


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * d for d in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark", "print"])
def test_contrast_is_enough(theme):
    """WCAG 2.2: 4.5 for text, 3 for marks."""
    found = colours(theme)
    for ground in ("paper", "raised", "fill"):
        for ink in ("ink", "soft", "good", "open"):
            assert contrast(found[ink], found[ground]) >= 4.5, (ink, ground)
    assert contrast(found["mute"], found["paper"]) >= 3


def test_black_on_white():
    assert contrast("#000", "#ffffff") == pytest.approx(21)


def test_nothing_is_loaded():
    assert "url(" not in CSS
    assert "@import" not in CSS
    assert "http" not in CSS
