# SPDX-License-Identifier: Apache-2.0
import base64
import json
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

import pliant

SOURCE = Path(__file__).resolve().parents[2]


@pytest.fixture
def film(cube):
    if not Path(pliant.__file__).with_name("movie.js").exists():
        pytest.skip("built without the page")
    return cube.movie(8)


def test_a_film_holds_the_frames_and_needs_nothing_else(film, cube):
    about = json.loads(re.search(r'id="movie">(.*?)</script>', film, re.S).group(1))
    assert about["frames"] == 8 and about["rate"] == pytest.approx(60) and about["ground"] == 0
    assert cube.steps_done == 7
    [surface] = about["surfaces"]
    data = zlib.decompress(base64.b64decode(about["data"]))
    count = surface["vertices"]
    rest = np.frombuffer(data, "<f4", 3 * count).reshape(-1, 3)
    assert np.array_equal(rest, cube["cube"].rest_surface.astype("<f4"))
    stride = 24 + (6 * count + 3) // 4 * 4
    last = len(data) - stride
    low, high = np.frombuffer(data, "<f4", 6, last).reshape(2, 3).astype(float)
    places = low + np.frombuffer(data, "<u2", 3 * count, last + 24).reshape(-1, 3) / 65535 * (high - low)
    assert np.abs(places - cube["cube"].surface).max() < (high - low).max() / 65535
    assert not re.search(r'(src|href)=["\']', re.sub(r"<script>.*?</script>", "", film, flags=re.S))


def test_a_film_plays_in_a_browser(film, tmp_path):
    playwright = SOURCE / "web/node_modules/playwright-core/index.mjs"
    chromium, node = shutil.which("chromium"), shutil.which("node")
    if not (playwright.exists() and chromium and node):
        pytest.skip("there is no browser")
    (tmp_path / "film.html").write_text(film)
    script = str(SOURCE / "python/tests/film.mjs")
    done = subprocess.run([node, script, str(playwright), chromium, str(tmp_path / "film.html")],
                          capture_output=True, text=True, timeout=240)  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["errors"] == [] and shown["frame"] == "1" and shown["body"] > 1000


def test_films_of_nothing_are_refused(cube):
    for frames, stride in ((0, 1), (-1, 1), (3, 0)):
        with pytest.raises(pliant.InputError):
            cube.movie(frames, stride=stride)
