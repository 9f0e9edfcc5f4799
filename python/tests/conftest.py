# SPDX-License-Identifier: Apache-2.0
import pytest

import pliant

CUBE = {"shape": {"box": {"size": [1, 1, 1], "nodes": [4, 4, 4]}}, "name": "cube"}


@pytest.fixture
def cube():
    """A soft cube above a plane."""
    body = {**CUBE, "initial": {"translate": [0, 0.1, 0]}, "geometric": {"stiffness": 1e5},
            "damping": {"mass": 4, "stiffness": 0.01}}
    return pliant.load({"bodies": [body], "colliders": [{"plane": {}}]})


@pytest.fixture
def floating():
    """The same in free space."""
    return pliant.load({"gravity": [0, 0, 0], "bodies": [CUBE]})


@pytest.fixture
def tetrahedron():
    return [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
