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
WITH seated AS (
    SELECT m.match_no, m.game, m.sheet, m.log_id, m.played_at::DATE AS day, m.deals,
        list((s.player_no, s.score) ORDER BY s.seat) AS seats
    FROM matches m JOIN seats s USING (match_no) WHERE m.status <> 'unreadable'
    GROUP BY ALL
)
SELECT match_no, min(log_no) AS log_no FROM (
    SELECT s.match_no, l.match_no AS log_no FROM seated s JOIN seated l
        ON l.game = s.game AND l.log_id = s.log_id AND s.sheet AND NOT l.sheet
    UNION ALL
    SELECT s.match_no, l.match_no FROM seated s JOIN seated l
        ON l.game = s.game AND l.day = s.day AND l.seats = s.seats AND l.deals = s.deals
            AND s.sheet AND NOT l.sheet
) GROUP BY match_no;

-- The ladders of games and rules that have sheets, rated with them; `ratings` has proven matches alone.
CREATE TABLE sheet_ratings AS FROM ratings LIMIT 0;
