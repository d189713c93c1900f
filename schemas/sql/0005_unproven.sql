-- A verdict for deals told in part: nothing wrong was found, but not all could be checked.
-- Cards of `deals.deck` that nobody wrote down are NULL; a deal that came out one way or another
-- by such cards has neither deck nor actions, no seats and no announcements.
-- An ENUM keeps its order from best to worst, so it is made anew.

DROP VIEW tricks;

ALTER TABLE matches ALTER COLUMN status TYPE VARCHAR;
ALTER TABLE deals ALTER COLUMN status TYPE VARCHAR;
DROP TYPE verdict;
CREATE TYPE verdict AS ENUM (
    'legal', 'unproven', 'irregular', 'incomplete', 'broken', 'unreadable'
);
ALTER TABLE matches ALTER COLUMN status TYPE verdict;
ALTER TABLE deals ALTER COLUMN status TYPE verdict;

CREATE VIEW tricks AS
SELECT match_no, deal, UNNEST(range(1, len(takers) + 1)) AS trick, UNNEST(takers) AS taker
FROM deals;
