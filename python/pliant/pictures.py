# SPDX-License-Identifier: Apache-2.0
"""Pictures and films as bytes and pages."""

from __future__ import annotations

import base64
import html
import json
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List

import numpy as np
from numpy.typing import NDArray

from pliant import _core
from pliant.errors import InputError

if TYPE_CHECKING:
    from pliant.worlds import World


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(image: NDArray[np.uint8]) -> bytes:
    """An (height, width, 3) picture as a PNG file.

    >>> import numpy as np
    >>> png(np.zeros((2, 3, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width, _ = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    up = np.diff(image.astype(np.int16), axis=0, prepend=np.zeros((1, width, 3), np.int16)).astype(np.uint8)
    rows = np.concatenate([np.full((height, 1), 2, np.uint8), up.reshape(height, -1)], axis=1)  # filter 2: up
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + _chunk(b"IEND", b"")
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
html, body {{ margin: 0; height: 100%; overflow: hidden; font: 14px sans-serif; }}
body {{ background: radial-gradient(circle at 50% 42%, #fcfbf8, #dcd9d2); }}
@media (prefers-color-scheme: dark) {{ body {{ background: radial-gradient(circle at 50% 42%, #343c45, #14181c); }} }}
#view {{ position: absolute; inset: 0 0 40px; touch-action: none; cursor: grab; }}
#view canvas {{ width: 100%; height: 100%; display: block; }}
#bar {{ position: absolute; inset: auto 12px 6px; display: flex; gap: 10px; height: 28px; }}
#play {{ width: 40px; }} #at {{ flex: 1; }}
</style></head><body><div id="view"></div>
<div id="bar"><button id="play" aria-label="play or pause">&#10074;&#10074;</button>
<input id="at" type="range" min="0" value="0" aria-label="frame"></div>
<script type="application/json" id="movie">{movie}</script>
<script>{script}</script></body></html>
"""


def _boxed(points: NDArray[np.float64]) -> bytes:
    """A frame of a surface: its box in single precision, places in it as 16-bit numbers, padded to 4 bytes."""
    low = points.min(axis=0).astype("<f4")
    high = points.max(axis=0).astype("<f4")
    share = (points - low) / np.where(high > low, high - low, 1)
    data: bytes = low.tobytes() + high.tobytes() + np.rint(65535 * share.clip(0, 1)).astype("<u2").tobytes()
    return data + b"\0" * (-len(data) % 4)


def movie(world: "World", frames: int, stride: int) -> str:
    """World.movie."""
    if frames < 1 or stride < 1:
        found = f"frames = {frames}, stride = {stride}"
        raise InputError(f"movie: found {found}, expected 1 or more of each", "", [("frames", found, "1 or more", "")])
    script = Path(__file__).with_name("movie.js")
    if not script.exists():
        raise InputError("movie: this pliant was built without its page: it needs node and npm (-DPLIANT_VIEW=ON)")
    about = world.scene
    places, triangles, ground = world._core.around()
    surfaces: List[Dict[str, Any]] = []
    chunks: List[bytes] = []

    def add(name: str, method: str, rest: NDArray[np.float64], faces: NDArray[np.int32], around: bool) -> None:
        # vertices that no triangle joins to a surface are a cloud: drawn as discs
        size = float(np.ptp(rest, axis=0).max()) if len(rest) and not len(faces) else 0.0
        surfaces.append({"name": name, "method": method, "vertices": len(rest), "triangles": len(faces),
                         "spacing": size / max(len(rest), 1) ** 0.5, "around": around})  # fmt: skip
        chunks.extend([rest.astype("<f4").tobytes(), faces.astype("<u4").tobytes()])

    for body in world.bodies:
        add(body.name, body.method, body.rest_surface, body.faces, False)
    if len(places):
        add("colliders", "", places, triangles, True)
    for frame in range(frames):
        if frame > 0:
            world.step(stride * int(about.get("substeps", 1)))
        chunks += [_boxed(body.surface) for body in world.bodies]
        if len(places):
            chunks.append(_boxed(world._core.around()[0]))
    data = base64.b64encode(zlib.compress(b"".join(chunks), 6)).decode()
    timestep = float(about.get("timestep", 1 / 60))
    film: Dict[str, Any] = {"name": world._core.name(), "methods": _core.methods(), "ground": ground, "rate": 1 / (timestep * stride),
            "frames": frames, "surfaces": surfaces, "data": data}  # fmt: skip
    text = json.dumps(film).replace("</", "<\\/")
    return _PAGE.format(title=html.escape(film["name"]), movie=text, script=script.read_text().replace("</script", "<\\/script"))
