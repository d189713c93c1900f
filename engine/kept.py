"""Where what numba compiles is kept, and read by the processes that come after.

Two that begin at once must not compile the same function twice, nor write over each other's: who
comes to a function that another process compiles waits for it, and reads it. The locks are those of
the operating system, which end with the process however it ends.
"""

import os
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


class Kept(FunctionCache):
    """What is kept of a function; `locked` while this process compiles it."""

    locked = False

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
