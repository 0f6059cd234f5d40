"""`make bench [NAME=…] [SLOW=1]`: run the benches, print one JSON line a row, nothing else on stdout."""

import importlib
import json
import os
import pkgutil
import sys

from tests import bench


def main() -> None:
    """Run the named benches, or all of them; those over a minute only with SLOW=1."""
    modules = (module.name for module in pkgutil.iter_modules(bench.__path__))
    known = sorted(name.removeprefix("bench_") for name in modules if name.startswith("bench_"))
    names = sys.argv[1:] or known
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"make bench: there is no bench {', '.join(unknown)}; known: {', '.join(known)}")
    slow = os.environ.get("SLOW") == "1"
    for name in names:
        for row in importlib.import_module(f"tests.bench.bench_{name}").rows(slow=slow):
            print(json.dumps({"bench": name, **row}), flush=True)  # noqa: T201 - JSON lines on stdout are its purpose


main()
