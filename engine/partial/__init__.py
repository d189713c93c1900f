"""Deals told in part: what is so in every deal that agrees with the sheet, and what in some only.

A *world* is a whole deal that agrees with every card written down and in which every act told
can have happened. A fault is certain when it is there in every world, absent when it is in
none, and cannot be checked otherwise; so with points, winners, trump and whose card is where.

No rule of a game is here: what an act's faults depend on, the kernel is asked (`asking`), who
got which place of the pack is seen in what it does (`scenarios`), and whether there is a world
with such a hand is a matching of cards and places (`engine.matching`). So both answers are exact.
"""

from engine.partial.replay import Doubt, PartialReplay
from engine.partial.solve import Partial

__all__ = ["Doubt", "Partial", "PartialReplay"]
