-- One ladder per game and preset: after each match that is rated, what each of its players is
-- worth. Derived from the matches alone, in the order they were played; see ingest/ladder.py.

CREATE TABLE ratings (
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    place INTEGER NOT NULL,       -- of the match in its ladder's order, from 0
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    player_no INTEGER NOT NULL,
    rank UTINYINT NOT NULL,       -- in the match, from 1; partners and equals share one
    mu DOUBLE NOT NULL,
    sigma DOUBLE NOT NULL
);
