-- A match has one id however its moments are written: 3 and 3.0 were two. Matches that were stored
-- get the one of today by `schemas/former.py` in the same transaction, and old ones find them.

CREATE TABLE former_ids (
    former_id VARCHAR NOT NULL,
    match_id VARCHAR NOT NULL
);
