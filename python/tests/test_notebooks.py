# SPDX-License-Identifier: Apache-2.0
"""The cells of the notebooks run, one after the other."""
import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples/python").glob("*.ipynb"))


def run_cell(source, names, place):
    """As a notebook does it: the last expression is shown."""
    tree = ast.parse(source, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), names)
    shown = eval(compile(ast.Expression(last.value), place, "eval"), names) if last else None
    if hasattr(shown, "_repr_png_"):
        assert shown._repr_png_()[:4] == b"\x89PNG"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POSES", "30")
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    if any("matplotlib" in line for cell in cells for line in cell["source"]):
        pytest.importorskip("matplotlib")
    names = {"__name__": "notebook"}
    for number, cell in enumerate(cells):
        run_cell("".join(cell["source"]), names, f"{notebook.name}[{number}]")


def test_there_are_the_five_that_are_promised():
    assert {path.stem for path in NOTEBOOKS} == {"first-steps", "sweep", "methods", "gripper", "poses"}
