# SPDX-License-Identifier: Apache-2.0
"""Prints what VTK reads from .vtu files, floats as exact hexadecimal text.

Per file: 'file', 'time T', 'points N' and N lines, 'displacement N' and N lines, 'cells N' and N lines.
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
    print("cells", grid.GetNumberOfCells())
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        assert cell.GetCellType() == vtk.VTK_TRIANGLE, cell.GetCellType()
        print(*(cell.GetPointId(k) for k in range(3)))
