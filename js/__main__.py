"""Makes `js/dist/`: `python -m js [FOLDER]`, or `make js`."""

import sys
from pathlib import Path

from js.build import DIST, build
from js.compile_wasm import BuildError

if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]) if len(sys.argv) > 1 else DIST)
    except BuildError as error:
        sys.exit(str(error))
