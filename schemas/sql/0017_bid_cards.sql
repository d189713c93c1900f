-- What was bid is reckoned now, where nothing of a game was, and a deal that cannot be replayed to its
-- end has a reason of its own: matches that have one of the old ones are reckoned again.

DELETE FROM seat_values WHERE match_no IN (
    SELECT match_no FROM deal_values WHERE unsolved IN ('game', 'never', 'irregular')
);
DELETE FROM deal_values WHERE match_no IN (
    SELECT match_no FROM deal_values WHERE unsolved IN ('game', 'never', 'irregular')
);
