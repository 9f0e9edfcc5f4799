# SPDX-License-Identifier: Apache-2.0
"""Surfaces as arrays, and bodies made of them."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant import _core

Faces = Union[ArrayLike, Sequence[Sequence[int]]]


class Mesh:
    """A surface that stands in a scene wherever the name of a mesh file can.

    vertices: (n, 3), m. faces: (m, 3) vertex indices, or a list of polygons; None with normals: a cloud of points.
    normals: (n, 3), outward, of a cloud.

    >>> import pliant
    >>> tetrahedron = pliant.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    ...                           [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> world = pliant.load({"bodies": [{"shape": {"mesh": tetrahedron, "nodes": 200}}]})
    >>> len(world[0].surface)
    4
    """

    def __init__(self, vertices: ArrayLike, faces: Optional[Faces] = None, normals: Optional[ArrayLike] = None) -> None:
        self.vertices = vertices
        self.faces = faces
        self.normals = normals


def body(
    vertices: ArrayLike,
    faces: Optional[Faces] = None,
    *,
    normals: Optional[ArrayLike] = None,
    shape: Optional[Mapping[str, Any]] = None,
    **keys: Any,
) -> Dict[str, Any]:
    """A body of a scene from arrays.

    vertices, faces, normals: those of Mesh. shape: further keys of its shape ("nodes", "solid", "thickness", "unit",
    ...). All other arguments are keys of the body, as a scene has them ("name", "method", "density", "pins", ...).

    >>> import pliant
    >>> soft = pliant.body([[0, 1, 0], [1, 1, 0], [0, 2, 0], [0, 1, 1]],
    ...                    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    ...                    name="soft", shape={"nodes": 300}, geometric={"stiffness": 1e5})
    >>> world = pliant.load({"bodies": [soft], "colliders": [{"plane": {}}]})
    >>> world.step(10)
    >>> bool(world["soft"].surface[:, 1].min() < 1)
    True
    """
    return {"shape": {"mesh": Mesh(vertices, faces, normals), **(shape or {})}, **keys}


def read_mesh(file: Union[str, "os.PathLike[str]"]) -> Tuple[NDArray[np.float64], Union[NDArray[np.int32], List[List[int]]]]:
    """Vertices and faces of an OBJ, PLY, STL, OFF or GLB file, in its own order and unit.

    Faces are an (m, 3) array when all are triangles, else a list of lists.

    >>> import pliant
    >>> pliant.read_mesh("nowhere.obj")
    Traceback (most recent call last):
    pliant.errors.InputError: nowhere.obj: ...
    """
    return _core.read_mesh(os.fspath(file))
