"""Runs the code of a page, as a notebook does, and compares its output with what the page shows.

Usage: page.py PAGE [RSCRIPT]

The blocks ```python (or, with RSCRIPT, ```r) are cells. They run in order, in one namespace and one new directory.
A ```text block right after a cell is its output: what it prints, and the value of its last expression. A cell
```python pandas is left out without pandas, and ```python norun always; `...` in an output stands for anything on a line.
"""

import ast
import contextlib
import fnmatch
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.M | re.S)


def cells(text, language):
    """Line, code and shown output (None: none) of each cell."""
    blocks = list(BLOCK.finditer(text))
    for block, following in zip(blocks, blocks[1:] + [None]):
        words = block[2].split()
        if block[1] != language or "norun" in words:
            continue
        if "pandas" in words and importlib.util.find_spec("pandas") is None:
            continue
        shown = None
        if following and following[1] == "text" and not text[block.end() : following.start()].strip():
            shown = following[3]
        yield text.count("\n", 0, block.start()) + 1, block[3], shown


def run_python(code, namespace):
    tree = ast.parse(code)
    value = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        value = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "cell", "exec"), namespace)
    if value is not None:
        result = eval(compile(value, "cell", "eval"), namespace)
        if result is not None:
            print(repr(result))


def same(shown, found):
    """Compares line by line, without blanks at their ends."""
    patterns = [line.rstrip().replace("[", "[[]").replace("...", "*") for line in shown.rstrip().splitlines()]
    lines = [line.rstrip() for line in found.rstrip().splitlines()]
    return len(lines) == len(patterns) and all(map(fnmatch.fnmatchcase, lines, patterns))


def main(page, rscript=None):
    with open(page, encoding="utf-8") as file:
        found = list(cells(file.read(), "r" if rscript else "python"))
    assert found, page + ": there are no cells"
    compared = 0
    namespace = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        before = ""  # R has no namespace between processes: each cell runs after the ones before it
        for line, code, shown in found:
            output = io.StringIO()
            try:
                if rscript:
                    whole = before + "cat('-- cell --\\n')\n" + code
                    done = subprocess.run([rscript, "--vanilla", "-e", whole], capture_output=True, check=True, text=True)
                    output.write(done.stdout.rpartition("-- cell --\n")[2])
                    before += code
                else:
                    with contextlib.redirect_stdout(output):
                        run_python(code, namespace)
            except subprocess.CalledProcessError as error:
                print(f"{page}:{line}: {error}\n{error.stderr}")
                return 1
            except Exception:
                print(f"{page}:{line}:")
                traceback.print_exc(file=sys.stdout)
                return 1
            if shown is not None:
                compared += 1
                if not same(shown, output.getvalue()):
                    print(f"{page}:{line}: the page shows\n{shown}\nbut the output is\n{output.getvalue()}")
                    return 1
        os.chdir("/")
    print(f"{page}: {len(found)} cells, {compared} outputs")
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
