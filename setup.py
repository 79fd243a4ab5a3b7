"""What goes into the wheel.

In: the clone. Out: packages `interpreter` and below, module `cli`, and the top-level folders schema/, games/ and mods/ as data inside
`interpreter`, so that an installed copy is complete. Nothing is copied in the clone itself: `interpreter/paths.py` looks
inside the package first and beside it otherwise. All else stands in pyproject.toml.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["interpreter", "interpreter.*"]),
        "interpreter.schema",
        "interpreter.games",
        "interpreter.mods",
    ],
    py_modules=["cli"],
    package_dir={"interpreter.schema": "schema", "interpreter.games": "games", "interpreter.mods": "mods"},
    package_data={
        "interpreter": ["py.typed"],
        "interpreter.syntax": ["grammar.lark"],
        "interpreter.schema": ["*.json"],
        "interpreter.games": ["*.yaml", "classics/*.yaml", "clauses/*.yaml"],
        "interpreter.mods": ["*/*.yaml"],
    },
    include_package_data=False,
)
