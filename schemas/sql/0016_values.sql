-- What the end of each deal was worth. It follows from the tables of play and goes with its match,
-- but is reckoned later (`ingest/store/reckon.py`): a match of which no deal has a row here is not
-- yet reckoned, a deal that is not solved has a row with the reason.

CREATE TABLE deal_values (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    unsolved VARCHAR,             -- why not; of the others
    begins USMALLINT,             -- the action with which what is solved begins
    ahead SMALLINT,               -- what side 1 had more than side 2 there
    margin SMALLINT,              -- what it still makes more with best play of both
    best_winner UTINYINT,         -- then, as in deals
    turning USMALLINT             -- the last action before which it was another than after it
);

CREATE TABLE seat_values (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    laid UTINYINT NOT NULL,       -- cards from there on
    forced UTINYINT NOT NULL,     -- of them those that alone could be laid
    lost SMALLINT NOT NULL,       -- points
    costly UTINYINT NOT NULL,     -- cards that lost some
    dearest USMALLINT,            -- the action that lost most
    dearest_lost SMALLINT NOT NULL
);
