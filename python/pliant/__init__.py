# SPDX-License-Identifier: Apache-2.0
"""Meshes that behave like soft matter. SI units, y points up, faces are counter-clockwise from outside.

>>> import pliant
>>> world = pliant.load("geometric/bar")
>>> for step in world.steps(3):
...     height = world["bar"].surface[:, 1].min()
>>> world.time
0.05
"""

from pliant.errors import CheckError, InputError, Problem, StepError
from pliant import _core
from pliant.meshes import Mesh, body, read_mesh
from pliant.pieces import cage, deform, embedding, green_coordinates, inside, repair, skeleton, winding
from pliant.worlds import Body, Recording, World, formats, load, methods, run, scenes, schema

__version__: str = _core.version()

__all__ = [
    "Body",
    "CheckError",
    "InputError",
    "Mesh",
    "Problem",
    "Recording",
    "StepError",
    "World",
    "body",
    "cage",
    "deform",
    "embedding",
    "formats",
    "green_coordinates",
    "inside",
    "load",
    "methods",
    "read_mesh",
    "repair",
    "run",
    "scenes",
    "schema",
    "skeleton",
    "winding",
]
