-- What the owner of a store did besides adding files. Pages keep an answer until this grows.
CREATE TABLE changes (
    change BIGINT NOT NULL,       -- from 0
    changed_at TIMESTAMPTZ NOT NULL,
    what VARCHAR NOT NULL         -- delete, undelete, empty, mask, unmask
);

-- Deleted matches as they came. All that was derived from them is gone, so no query meets them;
-- undeleting reads them again.
CREATE TABLE trash (
    change BIGINT NOT NULL,       -- the deletion
    match_no BIGINT NOT NULL,     -- what it was
    match_id VARCHAR NOT NULL,
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,
    text VARCHAR USING COMPRESSION zstd,
    bytes BLOB
);

-- The key of this store's pseudonyms: whoever has no access to it cannot tell who is meant.
CREATE TABLE secret (
    key BLOB NOT NULL
);

-- Who the masked players are; `players` has their pseudonym for id and name.
CREATE TABLE masked (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);
