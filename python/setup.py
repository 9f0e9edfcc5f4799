# SPDX-License-Identifier: Apache-2.0
"""A wheel of what `make python` has built, without network: `make python-wheel`."""
import os
import re
import shutil
from pathlib import Path

from setuptools import Distribution, setup

SOURCE = Path(__file__).resolve().parents[1]
BUILT = Path(os.environ.get("PLIANT_BUILD", SOURCE / "build")) / "python"


class Binary(Distribution):
    """It has compiled parts: the wheel is of one platform and one Python."""

    def has_ext_modules(self):
        return True


def version():
    text = (SOURCE / "src/pliant/base/version.hpp").read_text()
    return ".".join(re.search(rf"#define PLIANT_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


if not any((BUILT / "pliant").glob("_core*.so")):
    raise SystemExit(f"{BUILT}/pliant has no module: `make python` first")
staged = BUILT / "wheel"  # the package with the shipped scenes
shutil.rmtree(staged, ignore_errors=True)
shutil.copytree(BUILT / "pliant", staged / "pliant", ignore=shutil.ignore_patterns("__pycache__"))
shutil.copytree(SOURCE / "scenes", staged / "pliant/scenes")
os.chdir(staged)  # setuptools leaves its traces there

setup(
    name="pliant",
    version=version(),
    description="Meshes that behave like soft matter",
    license="Apache-2.0",
    python_requires=">=3.9",
    install_requires=["numpy"],
    packages=["pliant"],
    package_data={"pliant": ["*.so", "*.pyi", "py.typed", "movie.js", "scenes/**/*"]},
    distclass=Binary,
    zip_safe=False,
)
