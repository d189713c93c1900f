-- Verdicts of matches stored before count as old.
--
-- The tables are made anew: DuckDB does not commit a column that is added to one of which an earlier
-- migration of the same transaction has added another.

CREATE TABLE matches_before AS FROM matches;
DROP TABLE matches;
CREATE TABLE matches (
    match_no BIGINT NOT NULL,
    match_id VARCHAR NOT NULL,
    log_id VARCHAR,
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,
    status verdict NOT NULL,
    findings INTEGER NOT NULL,
    game VARCHAR,
    preset VARCHAR,
    options VARCHAR,
    players UTINYINT,
    played_at TIMESTAMPTZ,
    event VARCHAR,
    details VARCHAR,
    source VARCHAR,
    deals INTEGER NOT NULL,
    winner UTINYINT,
    rules_version USMALLINT NOT NULL,
    sheet BOOLEAN DEFAULT false
);
INSERT INTO matches BY NAME SELECT * REPLACE (0 AS rules_version) FROM matches_before;
DROP TABLE matches_before;

CREATE TABLE baseline.matches_before AS FROM baseline.matches;
DROP TABLE baseline.matches;
CREATE TABLE baseline.matches AS FROM matches LIMIT 0;
INSERT INTO baseline.matches BY NAME FROM baseline.matches_before;
DROP TABLE baseline.matches_before;
