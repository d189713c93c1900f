-- A verdict for deals told in part: nothing wrong was found, but not all could be checked.
-- Cards of `deals.deck` that nobody wrote down are NULL; a deal that came out one way or another
-- by such cards has neither deck nor actions, no seats and no announcements.
--
-- The type keeps its order from best to worst, so it is made anew, and the two tables with it:
-- DuckDB cannot read a journal in which a column changed to such a type.

DROP VIEW tricks;

CREATE TABLE matches_told AS SELECT * REPLACE (status::VARCHAR AS status) FROM matches;
CREATE TABLE deals_told AS SELECT * REPLACE (status::VARCHAR AS status) FROM deals;
DROP TABLE matches;
DROP TABLE deals;
DROP TYPE verdict;
CREATE TYPE verdict AS ENUM (
    'legal', 'unproven', 'irregular', 'incomplete', 'broken', 'unreadable'
);
CREATE TABLE matches AS SELECT * REPLACE (status::verdict AS status) FROM matches_told;
CREATE TABLE deals AS SELECT * REPLACE (status::verdict AS status) FROM deals_told;
DROP TABLE matches_told;
DROP TABLE deals_told;

CREATE VIEW tricks AS
SELECT match_no, deal, UNNEST(range(1, len(takers) + 1)) AS trick, UNNEST(takers) AS taker
FROM deals;
