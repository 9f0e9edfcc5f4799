# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import pliant


def test_a_body_from_arrays_is_that_of_its_file(tmp_path, tetrahedron):
    vertices, faces = tetrahedron
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    (tmp_path / "t.obj").write_text("\n".join(lines) + "\n")
    body = {"name": "t", "geometric": {"stiffness": 1e5}}
    scene = {"bodies": [{**body, "shape": {"mesh": "t.obj", "nodes": 300}}]}
    from_file = pliant.load(scene, folder=tmp_path)
    from_arrays = pliant.load({"bodies": [pliant.body(vertices, faces, shape={"nodes": 300}, **body)]})
    for world in (from_file, from_arrays):
        world.step(10)
    assert np.array_equal(from_file["t"].surface, from_arrays["t"].surface)


def test_the_scene_of_a_world_loads_again(tetrahedron):
    first = pliant.load({"bodies": [pliant.body(*tetrahedron, shape={"nodes": 200}, name="t")]}, {"bodies.t.density": 500})
    again = pliant.load(first.scene)
    for world in (first, again):
        world.step(3)
    assert again.scene["bodies"][0]["density"] == 500 and np.array_equal(first["t"].x, again["t"].x)


def test_arrays_may_be_colliders_too(tetrahedron):
    vertices, faces = np.array(tetrahedron[0]) * 4 - [1, 4, 1], tetrahedron[1]
    box = {"shape": {"box": {"nodes": [3, 3, 3]}}}
    world = pliant.load({"bodies": [box], "colliders": [{"mesh": {"file": pliant.Mesh(vertices, faces)}}]})
    world.step(60)
    assert len(world.contacts) > 0


def test_polygons_and_clouds_are_taken():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    world = pliant.load({"bodies": [pliant.body(corners, sides, shape={"nodes": 200})]})
    assert len(world[0].surface) == 8 and len(world[0].faces) == 12
    golden = np.pi * (1 + 5**0.5)
    k = np.arange(400) + 0.5
    ring = np.arccos(1 - 2 * k / 400)
    ball = np.column_stack([np.cos(golden * k) * np.sin(ring), np.sin(golden * k) * np.sin(ring), np.cos(ring)])
    world = pliant.load({"bodies": [pliant.body(ball, normals=ball, method="meshless", shape={"nodes": 300})]})
    assert len(world[0].surface) == 400


@pytest.mark.parametrize(
    "vertices, faces, place",
    [
        ([[0, 0]], [[0, 0, 0]], "vertices"),
        ([[0, 0, "x"]], [[0, 0, 0]], "vertices"),
        ([[0, 0, np.nan]], [[0, 0, 0]], "vertices[0]"),
        (None, [[0, 0, 0]], "vertices"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 3]], "faces[0]"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, -1]], "faces[0]"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2**40]], "faces[0]"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 0.5]], "faces[0]"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], 7], "faces[1]"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces", "faces"),
    ],
)
def test_wrong_arrays_are_told_with_their_place(vertices, faces, place):
    with pytest.raises(pliant.InputError) as caught:
        pliant.load({"bodies": [pliant.body(vertices, faces)]})
    assert caught.value.problems[0].place == place


def test_arrays_of_any_layout_and_kind_are_taken(tetrahedron):
    vertices, faces = np.array(tetrahedron[0]), np.array(tetrahedron[1])
    points = np.array([[0.1, 0.2, 0.3], [1, 1, 1]])
    expected = pliant.winding(vertices, faces, points)
    for kind in (np.float32, np.float64, ">f8", np.int64):
        for order in ("C", "F"):
            for index in (np.int8, np.uint16, np.int64, np.uint64, ">i4"):
                twice = np.asarray(np.repeat(vertices, 2, axis=0).astype(kind), order=order)[::2]
                assert np.array_equal(pliant.winding(twice, faces.astype(index), points), expected)


def test_pieces_work_alone(tetrahedron):
    cage, sides, report = pliant.cage(*tetrahedron, budget=60)
    assert report["freedoms"] <= 60 and pliant.inside(cage, sides, tetrahedron[0]).all()
    phi, psi = pliant.green_coordinates(cage, sides, [[0.2, 0.2, 0.2]])
    assert phi.sum() == pytest.approx(1) and psi.shape == (1, len(sides))
    with pytest.raises(pliant.InputError):
        pliant.green_coordinates(cage, sides, [[9, 9, 9]])
    with pytest.raises(pliant.InputError):
        pliant.cage(*tetrahedron, budget=1)
    dirty = [*tetrahedron[0], [np.nan, 0, 0]]
    assert "dropped" in pliant.repair(dirty, [*tetrahedron[1], [0, 1, 4], [0, 1, 99]])[3]["changed"]
    with pytest.raises(pliant.InputError, match="no usable faces"):
        pliant.repair([[np.nan, 0, 0]] * 3, [[0, 1, 2]])


def test_a_skeleton_is_found_in_a_cross():
    box = pliant.load({"bodies": [{"shape": {"box": {"size": [6, 1, 1], "nodes": [25, 5, 5]}}}]})[0]
    joints = pliant.skeleton(box.rest_surface, box.faces, nodes=1000)["joints"]
    assert len(joints) >= 2
