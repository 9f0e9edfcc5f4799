# SPDX-License-Identifier: Apache-2.0
"""Geometry for itself, without a world."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant import _core
from pliant.meshes import Faces

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int32]


def repair(vertices: ArrayLike, faces: Faces) -> Tuple[_Floats, _Ints, _Ints, Dict[str, Any]]:
    """An oriented triangle surface without doubles, from polygons as they come.

    Returns vertices, triangles, for each given vertex its new number (-1: no face uses it), and a report of what was
    changed and what is left (borders, non-manifold edges).

    >>> import pliant
    >>> soup = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0], [-1, 0, 0]]
    >>> vertices, triangles, number, report = pliant.repair(soup, [[0, 1, 2], [3, 4, 5]])
    >>> len(vertices), report["welded_vertices"], report["border_edges"]
    (4, 2, 4)
    """
    return _core.repair(vertices, faces)


def winding(vertices: ArrayLike, faces: Faces, points: ArrayLike) -> _Floats:
    """Generalised winding number of the surface at each point: 1 inside, 0 outside, between them near holes; to 0.07.

    >>> import pliant
    >>> corners, sides = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> abs(pliant.winding(corners, sides, [[0.1, 0.1, 0.1], [2, 2, 2]])).round(2).tolist()
    [1.0, 0.0]
    """
    return _core.winding(vertices, faces, points)


def inside(vertices: ArrayLike, faces: Faces, points: ArrayLike) -> NDArray[np.bool_]:
    """Which points are inside the surface: its winding number is above one half. Holes are tolerated.

    >>> import pliant
    >>> corners, sides = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> pliant.inside(corners, sides, [[0.1, 0.1, 0.1], [2, 2, 2]]).tolist()
    [True, False]
    """
    return np.asarray(winding(vertices, faces, points) > 0.5)


def green_coordinates(vertices: ArrayLike, faces: Faces, points: ArrayLike) -> Tuple[_Floats, _Floats]:
    """Green coordinates of points inside a cage of triangles: phi (points, vertices) and psi (points, faces).

    A point is phi @ vertices + psi @ (scaled outward normals of the faces), also when the cage has moved
    [Lipman et al. 2008].

    >>> import numpy as np, pliant
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> sides = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> phi, psi = pliant.green_coordinates(corners, sides, [[0.2, 0.2, 0.2]])
    >>> a, b, c = (corners[sides[:, k]] for k in range(3))
    >>> normals = np.cross(b - a, c - a)
    >>> normals /= np.linalg.norm(normals, axis=1)[:, None]
    >>> np.allclose(phi @ corners + psi @ normals, [[0.2, 0.2, 0.2]])
    True
    """
    return _core.green(vertices, faces, points)


def cage(
    vertices: ArrayLike, faces: Faces, *, budget: int = 168, clearance: float = 0.015, solid: Optional[bool] = None
) -> Tuple[_Floats, _Ints, Dict[str, Any]]:
    """A coarse closed surface around any mesh: vertices, triangles, report.

    budget: degrees of freedom at most, three a vertex. clearance: least distance of the mesh, share of its diagonal.
    solid: fill what holes open up; None: decided by the mesh.
    """
    return _core.cage(vertices, faces, budget, clearance, solid)


def skeleton(
    vertices: ArrayLike, faces: Faces, *, detail: float = 0.06, nodes: int = 5000, solid: Optional[bool] = None
) -> Dict[str, Any]:
    """A skeleton found in a closed surface, as a skeleton file has it (docs/skeletons.md): {"joints": [...]}.

    detail: smallest limb, share of the mesh's diagonal. nodes: of the graph in which limbs are looked for.
    """
    found: Dict[str, Any] = json.loads(_core.skeleton(vertices, faces, detail, nodes, solid))
    return found


def embedding(
    vertices: ArrayLike, faces: Faces, *, nodes: int = 5000, solid: Optional[bool] = None, thickness: float = 0
) -> Dict[str, Any]:
    """Nodes inside a surface, and the matrix W of surface = W nodes, as compressed rows.

    Returns a dict: "nodes" (n, 3) m, "volumes" (n,) m^3, "edges" (e, 2), "indptr", "indices", "weights" (as
    scipy.sparse.csr_matrix takes them), "solid", "warnings". W is exact for affine motion.

    >>> import numpy as np, pliant
    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    >>> found = pliant.embedding(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], nodes=300)
    >>> rows = np.repeat(np.arange(4), np.diff(found["indptr"]))
    >>> again = np.zeros((4, 3))
    >>> np.add.at(again, rows, found["weights"][:, None] * found["nodes"][found["indices"]])
    >>> np.allclose(again, corners)
    True
    """
    return _core.embedding(vertices, faces, nodes, solid, thickness)


def deform(
    vertices: ArrayLike,
    faces: Faces,
    handles: ArrayLike,
    targets: ArrayLike,
    *,
    tolerance: float = 1e-4,
    iterations: int = 1000,
) -> _Floats:
    """The surface bent as little as it can be with the vertices `handles` at `targets` (m): no gravity, no volume.

    Like "as rigid as possible" surface modelling; for many poses of one mesh keep a world (World.pose).

    >>> import numpy as np, pliant
    >>> x, z = np.meshgrid(np.linspace(0, 1, 8), np.linspace(0, 0.3, 4))
    >>> sheet = np.column_stack([x.ravel(), 0 * x.ravel(), z.ravel()])
    >>> faces = [[a, a + 8, a + 9, a + 1] for r in range(3) for a in range(8 * r, 8 * r + 7)]
    >>> ends = np.flatnonzero((sheet[:, 0] < 0.15) | (sheet[:, 0] > 0.85))
    >>> bent = pliant.deform(sheet, faces, ends, sheet[ends] + [0, 0.2, 0] * (sheet[ends, :1] > 0.5))
    >>> bool(0.05 < bent[:, 1].mean() < 0.15)
    True
    """
    from pliant.meshes import body
    from pliant.worlds import load

    scene = {"gravity": [0, 0, 0], "bodies": [body(vertices, faces, geometric={"operator": "edge"})]}
    bent = load(scene)[0]
    bent.hold(_node_of_vertex(bent)[np.asarray(handles)], targets)
    bent.pose(tolerance=tolerance, iterations=iterations, from_here=True)
    return np.array(bent.surface)


def _node_of_vertex(surface: Any) -> _Ints:
    """Nodes of a body that are the vertices of its surface: vertices at one place share a node."""
    starts, nodes, _ = surface.embedding
    if not np.all(np.diff(starts) == 1):
        raise ValueError("some vertices ride on several nodes: mend the mesh first (pliant.repair)")
    return np.asarray(nodes)
