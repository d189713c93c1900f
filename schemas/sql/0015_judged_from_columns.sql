-- What a match is judged by and no other column has, so that newer rules, or others, can be asked
-- of columns alone (`ingest/store/from_columns.py`). Of matches stored before `by_columns` is false:
-- their texts are asked until they are judged again.

ALTER TABLE matches ADD COLUMN cuts VARCHAR;           -- as the log has them, JSON
ALTER TABLE matches ADD COLUMN start VARCHAR;          -- likewise
ALTER TABLE matches ADD COLUMN result VARCHAR;         -- what it declares, likewise
ALTER TABLE matches ADD COLUMN equipment VARCHAR;      -- deck and bid cards, an object
ALTER TABLE matches ADD COLUMN by_columns BOOLEAN DEFAULT false;
ALTER TABLE baseline.matches ADD COLUMN cuts VARCHAR;
ALTER TABLE baseline.matches ADD COLUMN start VARCHAR;
ALTER TABLE baseline.matches ADD COLUMN result VARCHAR;
ALTER TABLE baseline.matches ADD COLUMN equipment VARCHAR;
ALTER TABLE baseline.matches ADD COLUMN by_columns BOOLEAN DEFAULT false;
