# SPDX-License-Identifier: Apache-2.0
"""Scenes that are stepped."""

from __future__ import annotations

import json
import operator
import os
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant import _core
from pliant.errors import InputError
from pliant.meshes import Mesh
from pliant.pictures import movie, png

Scene = Union[str, "os.PathLike[str]", Mapping[str, Any]]
Sets = Union[Sequence[str], Mapping[str, Any]]
Nodes = Union[ArrayLike, Mapping[str, Any]]


def _libraries() -> List[str]:
    """Folders of shipped scenes, first match wins."""
    package = Path(__file__).resolve().parent
    folders = [Path(os.environ["PLIANT_SCENES"])] if "PLIANT_SCENES" in os.environ else []
    folders.append(package / "scenes")  # a wheel
    folders += [up / "share/pliant/scenes" for up in package.parents]  # installed beside the command
    folders += [up / "scenes" for up in package.parents[1:4]]  # the build folder of a source tree
    return [str(folder) for folder in folders if folder.is_dir()]


def _json(value: Any, meshes: Optional[Dict[str, Mesh]] = None) -> str:
    """JSON of a scene or a value; arrays become lists, and meshes names under which they are kept."""

    def simple(thing: Any) -> Any:
        if isinstance(thing, Mesh) and meshes is not None:
            name = f"<mesh {len(meshes)}>"
            meshes[name] = thing
            return name
        if isinstance(thing, os.PathLike):
            return os.fspath(thing)
        if isinstance(thing, (np.ndarray, np.generic)):
            return thing.tolist()
        if isinstance(thing, Mapping):
            return dict(thing)
        raise TypeError(f"a {type(thing).__name__} is no value of a scene")

    try:
        return json.dumps(value, default=simple, allow_nan=False)
    except (TypeError, ValueError) as wrong:
        message = f"found {wrong}, expected JSON: dicts, lists, finite numbers, words"
        raise InputError(message, "", [("", str(wrong), "JSON: dicts, lists, finite numbers, words", "")]) from None


def _with_meshes(value: Any, meshes: Mapping[str, Mesh]) -> Any:
    """The value with meshes in the place of their names."""
    if isinstance(value, dict):
        return {key: _with_meshes(part, meshes) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_meshes(part, meshes) for part in value]
    return meshes.get(value, value) if isinstance(value, str) else value


def _arguments(sets: Sets) -> List[str]:
    if isinstance(sets, Mapping):
        return [f"{path}={_json(value)}" for path, value in sets.items()]
    if isinstance(sets, str):
        return [sets]
    return list(sets)


def load(scene: Scene, sets: Sets = (), *, threads: int = 0, folder: Union[str, "os.PathLike[str]"] = "") -> World:
    """A world from a scene: the name of a shipped one, the path of a file, or a dict.

    sets: changes, as a dict {"bodies.bar.density": 500} or a list of the command's PATH=VALUE. threads: 0 = one per
    processor; results do not depend on it. folder: where a dict's files are; meshes may also be arrays (pliant.Mesh).

    >>> import pliant
    >>> world = pliant.load("geometric/bar", {"bodies.bar.density": 500})
    >>> world["bar"].method, len(world)
    ('geometric', 1)
    >>> pliant.load("geometric/bat")
    Traceback (most recent call last):
    pliant.errors.InputError: geometric/bat: found no such file, ... (did you mean "geometric/bar"?)
    """
    if isinstance(scene, Mapping):
        meshes: Dict[str, Mesh] = {}
        text = _json(scene, meshes)
        arrays = {name: (mesh.vertices, mesh.faces, mesh.normals) for name, mesh in meshes.items()}
        return World(_core.World(text, os.fspath(folder), arrays, _arguments(sets), threads), meshes)
    return World(_core.World(os.fspath(scene), _libraries(), _arguments(sets), threads))


def scenes() -> Dict[str, str]:
    """Shipped scenes: names and descriptions.

    >>> import pliant
    >>> "geometric/bar" in pliant.scenes()
    True
    """
    return dict(_core.scenes(_libraries()))


def schema() -> Dict[str, Any]:
    """JSON Schema of a scene: every key with its unit, range, default and help.

    >>> import pliant
    >>> pliant.schema()["properties"]["timestep"]["x-unit"]
    's'
    """
    found: Dict[str, Any] = json.loads(_core.schema())
    return found


def methods() -> List[str]:
    """Names of the methods; the first is the default."""
    return _core.methods()


def formats() -> List[str]:
    """Formats of frames that a recording writes."""
    return _core.formats()


class Body:
    """A body of a world. *Nodes* carry its motion, *vertices* are of the surface that one sees."""

    def __init__(self, world: World, index: int) -> None:
        self._core = world._core
        self._index = index
        self._about: Dict[str, Any] = self._core.describe(index)

    def __repr__(self) -> str:
        return f"<pliant.Body {self.name!r}: {self.method}, {self._about['nodes']} nodes>"

    @property
    def name(self) -> str:
        name: str = self._about["name"]
        return name

    @property
    def method(self) -> str:
        method: str = self._about["method"]
        return method

    @property
    def about(self) -> Dict[str, Any]:
        """Method, nodes, degrees of freedom, solver, set-up time (ms), memory (B), whether its surface is closed."""
        return self._core.describe(self._index)

    # ---- surface

    @property
    def surface(self) -> NDArray[np.float64]:
        """Vertices of the surface, (n, 3) m: a read-only view, no copy, which keeps its world alive.

        It shows this state until the next step; after one, ask again. Copy what is to stay.

        >>> import numpy as np, pliant
        >>> bar = pliant.load("geometric/bar")["bar"]
        >>> np.shares_memory(bar.surface, bar.surface)
        True
        """
        return self._core.surface(self._index)

    @property
    def faces(self) -> NDArray[np.int32]:
        """Triangles of the surface, (m, 3), counter-clockwise from outside."""
        return self._core.faces(self._index)

    @property
    def rest_surface(self) -> NDArray[np.float64]:
        """Vertices of the surface at rest, (n, 3) m."""
        return self._core.rest_surface(self._index)

    @property
    def volume_ratio(self) -> Optional[float]:
        """Volume over rest volume; None for an open surface."""
        return self._core.volume_ratio(self._index)

    # ---- nodes

    @property
    def x(self) -> NDArray[np.float64]:
        """Places of the nodes, (n, 3) m: a copy."""
        return self._core.x(self._index)

    @property
    def v(self) -> NDArray[np.float64]:
        """Velocities of the nodes, (n, 3) m/s: a copy."""
        return self._core.v(self._index)

    @property
    def masses(self) -> NDArray[np.float64]:
        """Masses of the nodes, (n,) kg: a copy."""
        return self._core.masses(self._index)

    @property
    def rest_nodes(self) -> NDArray[np.float64]:
        """Places of the nodes at rest, (n, 3) m."""
        return self._core.rest_nodes(self._index)

    @property
    def embedding(self) -> Tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """W of surface = W x as compressed rows: starts of the rows, columns, weights."""
        return self._core.embedding(self._index)

    # ---- changes, in effect from the next step on

    def place(self, x: ArrayLike, v: Optional[ArrayLike] = None) -> None:
        """Puts the nodes at x (m) with velocities v (m/s; None: at rest).

        >>> import pliant
        >>> bar = pliant.load("geometric/bar-twist")[0]
        >>> bar.place(bar.x + [0, 1, 0])
        """
        self._core.place(self._index, x, v)

    @property
    def forces(self) -> NDArray[np.float64]:
        """Forces on the nodes, (n, 3) N. They act in each step until they are set again; None: none.

        >>> import numpy as np, pliant
        >>> world = pliant.load({"gravity": [0, 0, 0], "bodies": [{"shape": {"box": {"nodes": [4, 4, 4]}}}]})
        >>> world[0].forces = np.full((64, 3), [0.5, 0, 0])
        >>> world.step(30)
        >>> bool(world[0].v[:, 0].mean() > 0)
        True
        """
        return self._core.forces(self._index)

    @forces.setter
    def forces(self, forces: Optional[ArrayLike]) -> None:
        self._core.set_forces(self._index, forces)

    def node_forces(self, surface_forces: ArrayLike) -> NDArray[np.float64]:
        """Forces on the vertices of the surface (N) as forces on the nodes: W^T f."""
        return self._core.node_forces(self._index, surface_forces)

    def select(self, selector: Mapping[str, Any]) -> NDArray[np.int32]:
        """Nodes that a selector of a scene means, on the body at rest: {"box": [[...], [...]]}, {"vertices": [...]}, ...

        >>> import pliant
        >>> bar = pliant.load("geometric/bar")["bar"]
        >>> len(bar.select({"all": True})) == bar.about["nodes"]
        True
        """
        return self._core.select(self._index, _json(selector))

    def _nodes(self, nodes: Optional[Nodes]) -> Any:
        return self.select(nodes) if isinstance(nodes, Mapping) else nodes

    def pin(self, nodes: Nodes) -> None:
        """Holds nodes where they are: indices, truth values, or a selector. Whatever held them before lets go."""
        self._core.hold(self._index, self._nodes(nodes), None)

    def hold(self, nodes: Nodes, targets: ArrayLike) -> None:
        """Holds nodes at targets, (k, 3) m. Call it before each step to lead them.

        >>> import pliant
        >>> world = pliant.load({"gravity": [0, 0, 0], "bodies": [{"shape": {"box": {"nodes": [4, 4, 4]}}}]})
        >>> box, end = world[0], [0, 1, 2]
        >>> start = box.x[end]
        >>> for k in range(1, 6):
        ...     box.hold(end, start + [0, 0.01 * k, 0])
        ...     world.step()
        >>> box.held.tolist()
        [0, 1, 2]
        """
        self._core.hold(self._index, self._nodes(nodes), targets)

    def release(self, nodes: Optional[Nodes] = None) -> None:
        """Lets nodes go; None: all of the body, also those that the scene pins or drives."""
        self._core.release(self._index, self._nodes(nodes))

    @property
    def held(self) -> NDArray[np.int32]:
        """Nodes under a pin, a handle or a hold now, ascending."""
        return self._core.held(self._index)

    def pose(
        self,
        time: Optional[float] = None,
        *,
        tolerance: float = 1e-6,
        iterations: int = 300,
        from_here: bool = False,
    ) -> Dict[str, Any]:
        """Static solve: the body goes to where its forces balance, with its holds as at `time` (s; None: at their end).

        Colliders and other bodies play no part; the clock stays. tolerance: unbalanced force over the forces that act.
        from_here: straight from the present shape, not along the handles' way from their start.
        Returns "residual", "force" (N, unbalanced), "iterations", "increments". StepError: there is no balance.

        >>> import pliant
        >>> bar = pliant.load("geometric/bar-twist", {"bodies.0.shape.box.nodes": [17, 5, 5]})[0]
        >>> bar.pose()["residual"] <= 1e-6
        True
        """
        return self._core.pose(self._index, time, tolerance, iterations, from_here)


class World:
    """Bodies that move together. Made by pliant.load; one thread at a time is inside a call of it."""

    def __init__(self, core: _core.World, meshes: Mapping[str, Mesh] = {}) -> None:
        self._core = core
        self._meshes = meshes
        self._bodies = [Body(self, k) for k in range(core.bodies())]

    def __repr__(self) -> str:
        return f"<pliant.World {self._core.name()!r}: t = {self.time:g} s, bodies {[b.name for b in self._bodies]}>"

    # ---- bodies

    @property
    def bodies(self) -> Tuple[Body, ...]:
        """In the order of the scene."""
        return tuple(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)

    def __iter__(self) -> Iterator[Body]:
        return iter(self._bodies)

    def __getitem__(self, which: Union[str, int]) -> Body:
        """A body by name or number.

        >>> import pliant
        >>> pliant.load("geometric/bar")["ball"]
        Traceback (most recent call last):
        KeyError: "no body 'ball': there is bar"
        """
        if isinstance(which, str):
            for body in self._bodies:
                if body.name == which:
                    return body
            raise KeyError(f"no body {which!r}: there is {', '.join(b.name for b in self._bodies)}")
        return self._bodies[which]

    # ---- time

    @property
    def time(self) -> float:
        """s"""
        return self._core.time()

    @property
    def steps_done(self) -> int:
        """Steps since the start."""
        return self._core.steps_done()

    def step(self, n: int = 1) -> None:
        """n time steps. Other threads of Python run meanwhile; Ctrl-C stops between two of them.

        StepError: a body could not go on; it has its last good state.
        """
        self._core.step(n)

    def steps(self, n: int) -> Iterator[int]:
        """`for step in world.steps(n)`: before each round one step is made; its number, 1 = the first since the start.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> [step for step in world.steps(3)]
        [1, 2, 3]
        """
        return _Steps(self, n)

    # ---- what can be read

    @property
    def metrics(self) -> Dict[str, NDArray[Any]]:
        """What metrics.csv has of the state now: a column each, one row a body; not a number: it makes no sense here.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> world.step()
        >>> world.metrics["volume_ratio"].round(2).tolist()
        [1.0]
        """
        return _columns(self, self._core.metrics())

    @property
    def contacts(self) -> NDArray[Any]:
        """Contacts of the last step as a structured array.

        body, other_body, collider: numbers (-1: none); point, feature; place (m); normal, towards the body; gap (m);
        normal_force (N); friction (N).

        >>> import pliant
        >>> box = {"shape": {"box": {"nodes": [4, 4, 4]}}, "damping": {"mass": 5}}
        >>> world = pliant.load({"bodies": [box], "colliders": [{"plane": {}}]})
        >>> world.step(120)
        >>> weight = 9.81 * world[0].masses.sum()
        >>> bool(abs(world.contacts["normal_force"].sum() / weight - 1) < 0.1)
        True
        """
        return self._core.contacts()

    @property
    def notes(self) -> List[str]:
        """What was decided or repaired when the scene was built, one sentence each."""
        return self._core.notes()

    @property
    def scene(self) -> Dict[str, Any]:
        """The scene as it is now, with `sets` and changed options: pliant.load takes it.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> stiffer = pliant.load(world.scene, {"bodies.bar.geometric.stiffness": 1e7})
        """
        found: Dict[str, Any] = _with_meshes(json.loads(self._core.scene_json()), self._meshes)
        return found

    # ---- changes

    def set(self, path: str, value: Any) -> None:
        """A live option, by the path that --set takes; in effect from the next step on.

        Live are gravity, timestep, substeps, and of bodies damping, friction, contact and what docs/scene-format.md
        calls live of their method ("x-change" of pliant.schema()). InputError: the body is built from it, as from stiffness.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> world.set("bodies.bar.damping.mass", 0.5)
        >>> world.gravity = [0, -1.62, 0]
        >>> world.scene["gravity"]
        [0.0, -1.62, 0.0]
        """
        self._core.set(path, _json(value))

    @property
    def gravity(self) -> NDArray[np.float64]:
        """m/s^2"""
        return np.array(self.scene.get("gravity", [0, -9.81, 0]), float)

    @gravity.setter
    def gravity(self, gravity: ArrayLike) -> None:
        self.set("gravity", np.asarray(gravity).tolist())

    def pose(self, time: Optional[float] = None, **options: Any) -> Dict[str, Dict[str, Any]]:
        """Static solve of all bodies (Body.pose), by name."""
        return {body.name: body.pose(time, **options) for body in self._bodies}

    # ---- state

    def checkpoint(self) -> bytes:
        """The state as bytes: clock, bodies, forces and holds set by code.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> kept = world.checkpoint()
        >>> world.step(5)
        >>> world.restore(kept)
        >>> world.time
        0.0
        """
        return self._core.checkpoint()

    def restore(self, checkpoint: bytes) -> None:
        """Back to such a state, bit for bit; also from the file `checkpoint` of a run folder of the same scene."""
        self._core.restore(checkpoint)

    # ---- what is kept

    def record(
        self,
        folder: Union[str, "os.PathLike[str]", None] = None,
        formats: Sequence[str] = ("pc2",),
        *,
        contacts: bool = False,
    ) -> Recording:
        """From now on each frame is kept: its metrics and hash and, with a folder, what `pliant run` writes.

        A frame is `substeps` steps. The folder is whole when the recording is closed.

        >>> import pliant
        >>> world = pliant.load("geometric/bar")
        >>> with world.record() as run:
        ...     world.step(10)
        >>> run.metrics["time"][-1] == world.time, len(run.frame_hash("bar"))
        (True, 16)
        """
        path = "" if folder is None else os.fspath(folder)
        return Recording(self, self._core.record(path, [str(f) for f in formats], contacts))

    def render(
        self,
        width: int = 640,
        height: int = 480,
        *,
        azimuth: float = 35,
        elevation: float = 18,
        zoom: float = 1,
        quality: str = "draft",
        grid: bool = True,
        ground: Optional[float] = None,
    ) -> NDArray[np.uint8]:
        """A picture, (height, width, 3) sRGB. Angles in degrees; quality: draft, normal, fine; ground: its height, m.

        >>> import pliant
        >>> pliant.load("geometric/bar").render(64, 48).shape
        (48, 64, 3)
        """
        return self._core.render(width, height, azimuth, elevation, zoom, quality, grid, ground)

    def movie(self, frames: int = 120, *, stride: int = 1) -> str:
        """A page (HTML) that plays the next frames by itself: no server, no network; drag turns, the wheel zooms.

        The world goes on by `frames - 1` times `stride` frames; what is shown is the state after each. Save it, or show
        it in a notebook: IPython.display.IFrame of the file.

        >>> import pliant
        >>> page = pliant.load("geometric/bar").movie(3)
        >>> page[:15]
        '<!doctype html>'
        """
        return movie(self, frames, stride)

    def _repr_png_(self) -> bytes:
        return png(self.render(480, 320))


class _Steps(Iterator[int]):
    """Iterator of World.steps. Who only calls it has made no step: it says so."""

    def __init__(self, world: World, n: int) -> None:
        self._left = 0
        self._begun = True
        n = operator.index(n)
        if n < 0:
            raise InputError(f"n: found {n}, expected 0 or more", "", [("n", str(n), "0 or more", "")])
        self._world = world
        self._left = n
        self._begun = n == 0

    def __next__(self) -> int:
        self._begun = True
        if self._left == 0:
            raise StopIteration
        self._left -= 1
        self._world.step()
        return self._world.steps_done

    def __del__(self) -> None:
        if not self._begun:
            message = f"world.steps({self._left}) was not iterated: no step was made; world.step({self._left}) makes them"
            warnings.warn(message, RuntimeWarning, stacklevel=2)


class Recording:
    """What World.record keeps. A context manager; close() makes its files whole."""

    def __init__(self, world: World, core: _core.Recording) -> None:
        self._world = world
        self._core = core

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if error is None:
            self.close()
        else:
            status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            self._world._core.finish(self._core, status, str(error))

    def close(self) -> None:
        """Ends the recording. Later calls do nothing."""
        self._world._core.finish(self._core, "done", "")

    @property
    def frames(self) -> int:
        """The number of the last frame; the first is 0."""
        return self._core.frames()

    @property
    def metrics(self) -> Dict[str, NDArray[Any]]:
        """metrics.csv as columns: a row a frame and body; not a number: it makes no sense here."""
        return _columns(self._world, self._world._core.recorded(self._core)[0])

    def frame_hash(self, body: Optional[str] = None) -> str:
        """Of all frames so far, as `pliant run` prints it. None: the only body."""
        hashes = self._world._core.recorded(self._core)[1]
        if body is None and len(hashes) == 1:
            return next(iter(hashes.values()))
        if body not in hashes:
            raise KeyError(f"no body {body!r}: there is {', '.join(hashes)}")
        return hashes[body]


def _columns(world: World, table: Tuple[List[str], Any, Any, Any, Any]) -> Dict[str, NDArray[Any]]:
    names, frame, time, body, cells = table
    bodies = np.array([b.name for b in world.bodies])
    return {"frame": frame, "time": time, "body": bodies[body], **dict(zip(names, cells))}


def run(
    scene: Scene,
    folder: Union[str, "os.PathLike[str]", None] = None,
    formats: Sequence[str] = ("pc2",),
    *,
    frames: Optional[int] = None,
    sets: Sets = (),
    threads: int = 0,
) -> Recording:
    """Like `pliant run`: loads the scene, records all its frames (or as many as `frames`), closes the recording.

    >>> import pliant
    >>> done = pliant.run("geometric/bar", frames=2)
    >>> done.metrics["frame"].tolist()
    [0, 1, 2]
    """
    world = load(scene, [*_arguments(sets), *([] if frames is None else [f"frames={frames}"])], threads=threads)
    about = world.scene
    with world.record(folder, formats) as recording:
        world.step(int(about.get("frames", 300)) * int(about.get("substeps", 1)))
    return recording
