"""The console of all commands: where somebody reads along, lines end between words."""

from typing import Any

from rich.console import Console
from rich.text import Text

from ingest.cli.fold import folded


class Screen(Console):
    """A console that a terminal need not break the lines of."""

    @property
    def is_read(self) -> bool:
        """Whether it is a terminal; what FORCE_COLOR paints may go into a file."""
        return self.is_terminal and self.file.isatty()

    def print(self, *objects: Any, **more: Any) -> None:
        """A text that is too wide in several lines, each as far in as its beginning."""
        text = objects[0] if len(objects) == 1 else None
        if not isinstance(text, str | Text) or not self.is_read:
            return super().print(*objects, **more)
        lines = (Text(text) if isinstance(text, str) else text).split("\n", allow_blank=True)
        for line in lines:
            # of a path that is too wide by itself the terminal breaks the line in any case
            helps = line.cell_len > self.width >= max(map(len, line.plain.split()), default=0)
            for piece in folded(line, self.width) if helps else (line,):
                super().print(piece, **more)
