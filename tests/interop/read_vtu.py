# SPDX-License-Identifier: Apache-2.0
"""Prints what VTK reads from .vtu files, floats as exact hexadecimal text.

Per file: 'file', 'time T', 'points N' and N lines, 'displacement N' and N lines, 'uv N' and N lines (0: none),
'cells N' and N lines, each the number of corners and the corners.
"""
import sys

import vtk


def tuples(name, array):
    print(name, array.GetNumberOfTuples())
    for i in range(array.GetNumberOfTuples()):
        print(*(float(value).hex() for value in array.GetTuple(i)))


for path in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetErrorCode() != 0:
        sys.exit(f"{path}: VTK error {reader.GetErrorCode()}")
    grid = reader.GetOutput()
    points = grid.GetPoints().GetData()
    assert points.GetDataTypeAsString() == "float", points.GetDataTypeAsString()
    print("file")
    print("time", float(grid.GetFieldData().GetArray("TimeValue").GetValue(0)).hex())
    tuples("points", points)
    tuples("displacement", grid.GetPointData().GetArray("displacement"))
    uv = grid.GetPointData().GetTCoords()
    if uv is None:
        print("uv 0")
    else:
        tuples("uv", uv)
    print("cells", grid.GetNumberOfCells())
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        count = cell.GetNumberOfPoints()
        assert cell.GetCellType() == (vtk.VTK_TRIANGLE if count == 3 else vtk.VTK_POLYGON), cell.GetCellType()
        print(count, *(cell.GetPointId(k) for k in range(count)))
