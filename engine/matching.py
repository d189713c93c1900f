"""Cards and the places they may lie in: complete matchings, and what is in some of them.

`may[card]` is the mask of the places a card can be in, `at[card]` its place, -1 for none yet;
there are as many places as cards.
"""


def complete(may: list[int], at: list[int]) -> bool:
    """Find every card a place of its own, keeping `at` where it can be; False when there is none.

    Changes `at`. Augmenting paths, shortest first.
    """
    held = [-1] * len(may)
    for card, place in enumerate(at):
        if place >= 0:
            held[place] = card
    return all(_augment(card, may, at, held) for card, place in enumerate(at) if place < 0)


def _augment(card: int, may: list[int], at: list[int], held: list[int]) -> bool:
    wanted_by: dict[int, int] = {}
    seen = 0
    queue = [card]
    for one in queue:
        wanted = may[one] & ~seen
        seen |= wanted
        while wanted:
            place = (wanted & -wanted).bit_length() - 1
            wanted &= wanted - 1
            wanted_by[place] = one
            if held[place] < 0:
                while True:
                    taker = wanted_by[place]
                    place_before = at[taker]
                    at[taker], held[place] = place, taker
                    if taker == card:
                        return True
                    place = place_before
            queue.append(held[place])
    return False


def limited(may: list[int], at: list[int], limits: dict[int, int]) -> list[int] | None:
    """A complete matching in which some cards keep to fewer places; None when there is none.

    `at` is any matching to begin with, of `may` or of more.
    """
    narrow = list(may)
    for card, places in limits.items():
        narrow[card] &= places
    found = [place if narrow[card] >> place & 1 else -1 for card, place in enumerate(at)]
    return found if complete(narrow, found) else None


def possible(may: list[int], at: list[int]) -> list[int]:
    """For every card, the mask of the places it has in some complete matching.

    `at` is one of them. Another place is possible when an alternating cycle leads back from it.
    """
    leads = [0] * len(may)
    for card, place in enumerate(at):
        leads[place] = may[card]
    for middle, onward in enumerate(leads):
        for place in range(len(leads)):
            if leads[place] >> middle & 1:
                leads[place] |= onward
        # `onward` may have grown by itself only, which adds nothing
    found = []
    for card, place in enumerate(at):
        back = sum(1 << other for other in range(len(leads)) if leads[other] >> place & 1)
        found.append(may[card] & (back | 1 << place))
    return found
