-- Matches that somebody is still typing in. Whoever has a draft's secret may go on with it; here only
-- its hash is kept, as of tokens.

CREATE TABLE drafts (
    hash VARCHAR NOT NULL,
    begun_at TIMESTAMPTZ NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    head VARCHAR NOT NULL,        -- JSON: the game, the players, the rules
    steps VARCHAR NOT NULL,       -- JSON: a list of what was typed, in order
    version INTEGER NOT NULL,     -- grows with each change
    device VARCHAR NOT NULL       -- the page that changed it last
);
