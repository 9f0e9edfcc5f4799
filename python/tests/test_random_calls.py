# SPDX-License-Identifier: Apache-2.0
"""Random calls with random arguments: exceptions only. PLIANT_CALLS and PLIANT_SEED choose how many and which."""
import os
import random
import warnings

import numpy as np

import pliant
from pliant import _core

TETRAHEDRON = ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
SCENE = '{"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}}], "colliders": [{"plane": {}}]}'


def numbers(random, rows):
    scale = 10.0 ** random.choice([-300, -3, 0, 0, 0, 3, 300])
    out = np.array([[random.gauss(0, 1) * scale for _ in range(3)] for _ in range(rows)]).reshape(rows, 3)
    if rows and random.random() < 0.2:
        out[random.randrange(rows), random.randrange(3)] = random.choice([np.nan, np.inf, -np.inf])
    return out


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Arguments:
    """Something for any parameter, right more often than not."""

    def __init__(self, random):
        self.random = random

    def odd(self):
        r = self.random
        return r.choice([None, "", "x\0y", "\ud800", -1, 0, 1, 2**31, 2**63, 2**70, 1.5, float("nan"), float("inf"), True,
                         [], {}, [[]], b"", b"\xff", object(), [1, "a"], {"a": object()}, np.zeros((0, 3)),
                         np.zeros(3), np.zeros((2, 3, 4)), np.array(["a"]), np.array(None), np.zeros((27, 3), complex),
                         np.zeros((27, 3), "M8[s]"), numbers(r, 5), lambda: 1])  # fmt: skip

    def points(self):
        r = self.random
        if r.random() < 0.15:
            return self.odd()
        x = numbers(r, r.choice([0, 1, 4, 27, 27, 27, 27]))
        return r.choice([x, x.tolist(), x.astype(np.float32), np.asfortranarray(x), x[::-1]])

    def vertices(self):
        return TETRAHEDRON[0] if self.random.random() < 0.6 else self.points()

    def faces(self):
        r = self.random
        if r.random() < 0.4:
            return TETRAHEDRON[1]
        if r.random() < 0.2:
            return self.odd()
        return [[r.randrange(-1, 6) for _ in range(r.choice([0, 1, 2, 3, 3, 3, 4]))] for _ in range(r.randrange(6))]

    def nodes(self):
        r = self.random
        if r.random() < 0.2:
            return self.odd()
        if r.random() < 0.3:
            return [r.random() < 0.3 for _ in range(27)]
        return [r.randrange(-1, 28) for _ in range(r.randrange(5))]

    def body(self):
        return self.random.choice([0, 0, 0, 0, 1, -1, 2**31 - 1, self.odd()])

    def small(self):
        return self.random.choice([0, 1, 2, 3, -1, self.odd()])

    def count(self):
        """Of steps: so many that they end."""
        value = self.small()
        return 2 if isinstance(value, int) and value > 3 else value

    def real(self):
        return self.random.choice([0.0, 1.0, -1.0, 1e-5, 0.02, 1e300, self.odd()])

    def path(self):
        r = self.random
        parts = ["bodies", "0", "1", "body", "geometric", "stiffness", "damping", "mass", "gravity", "timestep", "contact",
                 "friction", "substeps", "shape", "", "-1", "nodes", "=", "colliders", "99999999999"]  # fmt: skip
        known = ["gravity", "timestep", "bodies.0.geometric.stiffness", "bodies.0.damping.mass", "bodies.0.friction"]
        return r.choice([r.choice(known), ".".join(r.choice(parts) for _ in range(r.randrange(1, 5))), self.odd()])

    def json(self):
        r = self.random
        return r.choice(["1", "0.01", "1e5", "-1", "[0,-9,0]", "null", "{", '"x"', "[[[[", "1e999", "true", '{"all": true}',
                         '{"box": [[0,0,0],[1,1,1]]}', '{"vertices": [0, 99]}', "NaN", self.odd()])  # fmt: skip


def calls(world, recordings, a):
    """Name and arguments of what can be called."""
    w = world
    yield w.step, lambda: [a.count()]
    yield w.steps_done, list
    yield w.time, list
    for read in (w.describe, w.faces, w.rest_surface, w.rest_nodes, w.embedding, w.surface, w.x, w.v, w.masses,
                 w.volume_ratio, w.forces, w.held):  # fmt: skip
        yield read, lambda: [a.body()]
    yield w.contacts, list
    yield w.metrics, list
    yield w.scene_json, list
    yield w.place, lambda: [a.body(), a.points(), a.random.choice([None, a.points()])]
    yield w.set_forces, lambda: [a.body(), a.points()]
    yield w.node_forces, lambda: [a.body(), a.points()]
    yield w.hold, lambda: [a.body(), a.nodes(), a.random.choice([None, a.points()])]
    yield w.release, lambda: [a.body(), a.nodes()]
    yield w.select, lambda: [a.body(), a.json()]
    yield w.set, lambda: [a.path(), a.json()]
    yield w.pose, lambda: [a.body(), a.real(), a.real(), a.small(), a.random.choice([True, False, a.odd()])]
    yield w.restore, lambda: [a.random.choice([w.checkpoint(), w.checkpoint()[:-3], a.odd()])]
    yield w.recorded, lambda: [a.random.choice([*recordings[-2:], a.odd()])]
    yield w.finish, lambda: [a.random.choice([*recordings[-2:], a.odd()]), "done", a.odd()]
    yield w.render, lambda: [a.random.choice([16, a.odd()]), 16, a.real(), a.real(), a.real(),
                             a.random.choice(["draft", a.odd()]), True, a.real()]  # fmt: skip
    yield _core.repair, lambda: [a.vertices(), a.faces()]
    yield _core.winding, lambda: [a.vertices(), a.faces(), a.points()]
    yield _core.green, lambda: [a.vertices(), a.faces(), a.points()]
    yield _core.embedding, lambda: [a.vertices(), a.faces(), a.random.choice([20, a.small()]), None, a.real()]
    yield pliant.load, lambda: [a.odd()]
    yield pliant.load, lambda: [{"bodies": [pliant.body(a.vertices(), a.faces(), shape={"nodes": 20})]}]


def test_random_calls_raise_exceptions_only():
    r = random.Random(int(os.environ.get("PLIANT_SEED", "1")))
    a, recordings, raised, before = Arguments(r), [], 0, None
    warnings.simplefilter("ignore")
    for number in range(int(os.environ.get("PLIANT_CALLS", "3000"))):
        if number == 2000:
            before = resident()
        if number % 100 == 0:
            world = _core.World(SCENE, "", {}, [], 1)
            recordings = [world.record("", [], False)]
            actions = list(calls(world, recordings, a))
        action, arguments = r.choice(actions)
        try:
            action(*arguments())
        except pliant.CheckError as bug:
            raise AssertionError(f"call {number}, {action}: {bug}") from bug
        except Exception:
            raised += 1
    assert raised > 0
    if before is not None:
        assert resident() - before < 20e6  # B: 10 000 calls without a leak grow by 2e6
