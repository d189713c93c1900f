"""Read memory, processor time and open files of a process and its children."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


class Unnamed(NamedTuple):
    """The open files of a process that have no name on the disk: how many, and their bytes."""

    number: int
    size: int


def family(pid: int) -> list[int]:
    """Return a process and all that it started, and these started, and that live."""
    found = [pid]
    for one in found:
        with suppress(OSError):  # ended meanwhile
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process, of its children and of those that ended."""
    total = 0
    for one in family(pid):
        with suppress(OSError):
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15]))
    return total / TICKS


def memory(pid: int, kind: str = "VmRSS") -> int:
    """Return the memory of a process and its children in bytes; `VmHWM`: the most of each."""
    total = 0
    for one in family(pid):
        with suppress(OSError):
            found = re.search(rf"^{kind}:\s+(\d+)", Path(f"/proc/{one}/status").read_text(), re.MULTILINE)
            total += int(found[1]) << 10 if found else 0
    return total


def forget_peaks(pid: int) -> None:
    """Begin `VmHWM` of a process and its children anew."""
    for one in family(pid):
        with suppress(OSError):
            Path(f"/proc/{one}/clear_refs").write_text("5")


def unnamed_files(pid: int) -> Unnamed:
    """Return the open files of a process that were removed, or never had a name."""
    sizes = []
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            if os.readlink(one).endswith(" (deleted)"):
                sizes.append(one.stat().st_size)
    return Unnamed(len(sizes), sum(sizes))
