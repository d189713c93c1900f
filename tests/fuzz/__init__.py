"""Logs and archives spoilt at random, from a new seed each time: nothing raises, and both sides of
the validator say the same.

`make test` does some rounds, always the same; `python -m tests.fuzz --minutes N` goes on for as
long as one likes.
"""


class Fallen(AssertionError):
    """What was found: which round, which document of it, what happened, and the document."""

    def __init__(self, seed: int, kind: str, number: int, what: str, data: bytes) -> None:
        self.data = data
        again = f"python -m tests.fuzz --{kind} --seed {seed} --rounds 1"
        super().__init__(f"{kind} {number} of seed {seed}: {what}\n{again}\n{data[:3000]!r}")
