"""Where what numba compiles is kept, and read by the processes that come after.

numba looks at the file of a function alone. What is put into it of other files, other functions and
numbers, is as old as it is then, so any change in the engine or in its own package counts.

Two that begin at once must not compile the same function twice, nor write over each other's: who
comes to a function that another process compiles waits for it, and reads it. The locks are those of
the operating system, which end with the process however it ends.
"""

import os
import pickle
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache

try:
    import fcntl
except ImportError:  # a system without these locks: what two compile at once is compiled twice
    fcntl = None  # type: ignore[assignment]

_LOCKS: dict[str, int] = {}
"""One open file a folder of caches: its locks end where any of a process that is open is closed."""


_ENGINE = Path(__file__).parent


def _package(file: Path) -> Path:
    """The outermost package of a module; the module alone where it is in none."""
    found = file
    while (found.parent / "__init__.py").exists():
        found = found.parent
    return found


@cache
def _state(package: Path) -> str:
    """When each module of a package was changed, and its size."""
    modules = sorted(package.rglob("*.py")) if package.is_dir() else [package]
    state = blake2b(digest_size=16)
    for module in filter(Path.is_file, modules):  # what came another way has no file
        seen = module.stat()
        told = (module.relative_to(package).as_posix(), seen.st_mtime_ns, seen.st_size)
        state.update(repr(told).encode())
    return state.hexdigest()


class Kept(FunctionCache):
    """What is kept of a function; `locked` while this process compiles it."""

    locked = False

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        file, own = self._cache_file, Path(function.__code__.co_filename)
        file._source_stamp = (file._source_stamp, _state(_ENGINE), _state(_package(own)))

    def is_there(self) -> bool:
        """Whether something is kept that was compiled of the files as they are."""
        return bool(self._cache_file._load_index())

    def is_beside(self, name: str) -> bool:
        """Whether that of another function of its folder, a `module.function`, is there as well."""
        return any(map(self._is_of_now, Path(self.cache_path).glob(f"{name}-*.nbi")))

    def _is_of_now(self, index: Path) -> bool:
        file = self._cache_file
        try:
            with index.open("rb") as kept:
                if pickle.load(kept) != file._version:
                    return False
                (_, *stamp), overloads = pickle.load(kept)
        except (OSError, EOFError, pickle.UnpicklingError):  # gone, or being written
            return False
        return stamp == list(file._source_stamp[1:]) and bool(overloads)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept under a signature; None where this process has to compile it now."""
        found = super()._load_overload(sig, target_context)
        if found is None and self._lock():
            found = super()._load_overload(sig, target_context)
        return found

    def _lock(self) -> bool:
        """Wait until no other process compiles the function; whether it is ours to compile."""
        if self.locked or fcntl is None:
            return self.locked
        try:
            fcntl.lockf(self._file(), fcntl.LOCK_EX, 1, self._place())
        except OSError:  # a file system without locks
            return False
        self.locked = True
        return True

    def release(self) -> None:
        """Let others compile the function, once that is done or has failed."""
        if self.locked:
            self.locked = False
            fcntl.lockf(self._file(), fcntl.LOCK_UN, 1, self._place())

    def _file(self) -> int:
        """The file of locks that lies where the function is kept, one byte a function."""
        folder = str(self.cache_path)
        if folder not in _LOCKS:
            Path(folder).mkdir(parents=True, exist_ok=True)
            path = os.path.join(folder, "compiling.lock")
            _LOCKS[folder] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        return _LOCKS[folder]

    def _place(self) -> int:
        name = self._impl.filename_base.encode()
        return int.from_bytes(blake2b(name, digest_size=7).digest(), "big")


class _Asked(CompileResultCacheImpl):
    """In a file of its own: what is kept without what Python needs must not be called by it."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return "asked." + str(super().get_filename_base(fullname, abiflags))


class KeptAsked(Kept):
    """What is kept of a function as Python calls it, beside what other compiled ones call."""

    _impl_class = _Asked  # type: ignore[assignment]
