# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings and in docs/python.md run, and types say what the module has."""
import ast
import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pliant

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
MODULES = ("pliant", "pliant.errors", "pliant.meshes", "pliant.pieces", "pliant.pictures", "pliant.worlds")
SOURCE = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


def test_everything_public_says_what_it_is():
    silent = []
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        members = [] if not isinstance(thing, type) else [f"{name}.{key}" for key, value in vars(thing).items()
                   if not key.startswith("_") and (callable(value) or isinstance(value, property)) and not value.__doc__]  # fmt: skip
        silent += members if thing.__doc__ else [name, *members]
    assert [name for name in silent if name not in ("Body.name", "Body.method")] == []


def test_code_in_the_documentation_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (SOURCE / "docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)


def mypy(cache, *arguments):
    pytest.importorskip("mypy")
    package = str(Path(pliant.__file__).resolve().parents[1])
    environment = {**os.environ, "MYPYPATH": package, "MYPY_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-m", *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stub_is_that_of_the_extension(tmp_path):
    # classes of pybind11 have a metaclass, and a constructor for those that have none
    (tmp_path / "allowed").write_text("pliant._core.World\npliant._core.Recording\npliant._core.Recording.__init__\n")
    mypy(tmp_path, "mypy.stubtest", "pliant._core", "--allowlist", str(tmp_path / "allowed"))


def test_the_package_has_the_types_it_says(tmp_path):
    mypy(tmp_path, "mypy", "--strict", "-p", "pliant")


def arguments_of_stub():
    tree = ast.parse(Path(pliant.__file__).with_name("_core.pyi").read_text())
    for holder in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        for node in holder.body:
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                prefix = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
                yield prefix + node.name, [argument.arg for argument in node.args.args]


@pytest.mark.parametrize("name, arguments", list(arguments_of_stub()))
def test_the_stub_names_the_arguments_of_the_extension(name, arguments):
    function = pliant._core
    for part in name.split("."):
        function = getattr(function, part)
    signature = function.__doc__.splitlines()[0].rpartition(" -> ")[0]
    assert re.findall(r"(\w+): ", signature) == arguments
