# SPDX-License-Identifier: Apache-2.0
"""Validates JSON files by a JSON Schema: check_schema.py SCHEMA FILE...

Ends with an error when the schema itself breaks the rules of its draft. Prints a line a file: 'ok', or the place
of the first problem and what it is.
"""
import json
import sys

from jsonschema import Draft202012Validator


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


schema = read(sys.argv[1])
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for path in sys.argv[2:]:
    problem = next(validator.iter_errors(read(path)), None)
    print("ok" if problem is None else f"{problem.json_path}: {problem.message}".replace("\n", " ")[:400])
