-- Texts lie many in a block, compressed by who checks them: that takes a fifth less to store than a
-- column of texts, which is compressed when everything else waits for it. Those of `texts_before`
-- are put into blocks, and that table dropped, by `schemas/blocks.py` in the same transaction.
ALTER TABLE raw RENAME TO texts_before;

-- A row a match, so that a small file writes little: rows are written anew by how many there are.
CREATE TABLE raw (
    match_no BIGINT NOT NULL,
    block BIGINT NOT NULL,        -- the match whose row has the block
    start UINTEGER NOT NULL,      -- where the log begins in it, in bytes
    size UINTEGER NOT NULL,
    packed BLOB USING COMPRESSION uncompressed  -- the block, zstd
);
