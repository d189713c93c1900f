-- Simulated deals in tables of the same names, so that any query can be asked of chance too.
-- deck, actions and takers stay NULL there; a run is an event, a player's name a habit.

CREATE SCHEMA baseline;

CREATE TABLE baseline.runs (
    run INTEGER NOT NULL,
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    players UTINYINT NOT NULL,
    habit VARCHAR,                -- NULL: drawn by lot for each match
    asked INTEGER NOT NULL,       -- deals, at least
    seed BIGINT NOT NULL,
    deals INTEGER NOT NULL,
    rules_version USMALLINT NOT NULL,
    made_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE baseline.matches AS FROM matches LIMIT 0;
CREATE TABLE baseline.players AS FROM players LIMIT 0;
CREATE TABLE baseline.seats AS FROM seats LIMIT 0;
CREATE TABLE baseline.deals AS FROM deals LIMIT 0;
CREATE TABLE baseline.deal_seats AS FROM deal_seats LIMIT 0;
CREATE TABLE baseline.announcements AS FROM announcements LIMIT 0;
