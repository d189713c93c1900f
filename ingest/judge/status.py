"""What a deal comes to, from what is wrong with it: the one order of gravity, for one or many."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.finding.finding import STATUSES


def deal_status(impossible: Any, incomplete: Any, wrong: Any) -> NDArray[np.uint8]:
    """Places in STATUSES, of deals where something impossible was found, which stop early, and
    where anything else was against the rules; each may be one answer or an array of them.
    """
    gravest_first = ("broken", "incomplete", "irregular")
    places = [np.uint8(STATUSES.index(status)) for status in gravest_first]
    legal = np.uint8(STATUSES.index("legal"))
    return np.select([impossible, incomplete, wrong], places, legal)
