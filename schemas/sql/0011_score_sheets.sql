-- Score sheets: deals of which no card was written down. `told` says which they are; of their play
-- nothing is known: tricks and the last one are NULL, and points where the sheet has none. A match
-- is a `sheet` where nothing but its lines leaves it unproven.

ALTER TABLE deals ADD COLUMN told BOOLEAN DEFAULT false;
ALTER TABLE matches ADD COLUMN sheet BOOLEAN DEFAULT false;
ALTER TABLE baseline.deals ADD COLUMN told BOOLEAN DEFAULT false;
ALTER TABLE baseline.matches ADD COLUMN sheet BOOLEAN DEFAULT false;
ALTER TABLE deal_seats ALTER COLUMN points DROP NOT NULL;
ALTER TABLE deal_seats ALTER COLUMN tricks DROP NOT NULL;
ALTER TABLE deal_seats ALTER COLUMN der DROP NOT NULL;

-- Sheets of which the store has the log of the same match, played card by card (`log_no`): known
-- by the id both give themselves, or by the same players in their seats on one day with one score.
CREATE VIEW doubled AS
WITH sheets AS (FROM matches WHERE sheet),
logs AS (FROM matches WHERE NOT sheet AND status <> 'unreadable'),
near AS (
    SELECT s.match_no, l.match_no AS log_no FROM sheets s JOIN logs l
        ON l.game = s.game AND l.played_at::DATE = s.played_at::DATE AND l.deals = s.deals
),
seated AS (
    SELECT match_no, list((player_no, score) ORDER BY seat) AS seats FROM seats
    WHERE match_no IN (SELECT match_no FROM near UNION SELECT log_no FROM near) GROUP BY match_no
)
SELECT match_no, min(log_no) AS log_no FROM (
    SELECT s.match_no, l.match_no AS log_no FROM sheets s JOIN logs l
        ON l.game = s.game AND l.log_id = s.log_id
    UNION ALL
    SELECT n.match_no, n.log_no FROM near n JOIN seated a ON a.match_no = n.match_no
        JOIN seated b ON b.match_no = n.log_no AND b.seats = a.seats
) GROUP BY match_no;

-- The ladders of games and rules that have sheets, rated with them; `ratings` has proven matches alone.
CREATE TABLE sheet_ratings AS FROM ratings LIMIT 0;
