-- The rollup tables, counted anew by SQL from the tables they are made from.

CREATE TEMP MACRO all_match_deals() AS TABLE
SELECT match_no, status, void IS NOT NULL AS void, is_score_line, dealer IS NOT NULL AS dealt,
    count(*) AS deals, count(*) FILTER (winning_side > 0) AS decided,
    count(*) FILTER (winning_side = 0) AS drawn
FROM deals GROUP BY ALL ORDER BY ALL;

CREATE TEMP MACRO all_match_seats() AS TABLE
WITH counted_hands AS (
    SELECT match_no, deal_index, seat, count(*) AS counted FROM announcements WHERE counted GROUP BY ALL
)
SELECT s.match_no, s.seat, s.player_no, d.status, d.is_score_line, count(*) AS deals,
    count(s.won) AS decided, count(*) FILTER (s.won) AS wins,
    count(s.points) FILTER (s.won IS NOT NULL) AS deals_with_points,
    sum(s.points) FILTER (s.won IS NOT NULL) AS points,
    sum(s.points::BIGINT * s.points) FILTER (s.won IS NOT NULL) AS points_squared,
    sum(s.card_points) FILTER (s.won IS NOT NULL) AS card_points,
    sum(s.card_points::BIGINT * s.card_points) FILTER (s.won IS NOT NULL) AS card_points_squared,
    sum(s.bonus) FILTER (s.won IS NOT NULL) AS bonus,
    sum(s.bonus::BIGINT * s.bonus) FILTER (s.won IS NOT NULL) AS bonus_squared,
    count(*) FILTER (s.won IS NOT NULL AND d.declarer = s.seat) AS contracts,
    count(*) FILTER (s.won IS NOT NULL AND d.declarer = s.seat AND d.contract_made) AS contracts_made,
    count(*) FILTER (s.won IS NOT NULL AND s.bid_met) AS bids_met,
    coalesce(sum(a.counted) FILTER (s.won IS NOT NULL), 0) AS counted,
    coalesce(sum(a.counted * a.counted) FILTER (s.won IS NOT NULL), 0) AS counted_squared
FROM deal_seats s JOIN deals d USING (match_no, deal_index)
    LEFT JOIN counted_hands a USING (match_no, deal_index, seat)
WHERE d.void IS NULL GROUP BY ALL ORDER BY ALL;

CREATE TEMP MACRO all_match_kinds() AS TABLE
WITH hands AS (
    SELECT match_no, a.deal_index, a.seat, a.player_no, d.status, a.kind, a.trump,
        t.won,
        bool_or(a.held) AS held, bool_or(a.announced) AS announced, bool_or(a.shown) AS shown,
        bool_or(a.counted) AS counted, count(*) FILTER (a.announced) AS made,
        sum(a.points) FILTER (a.counted) AS points,
        count(*) FILTER (a.held AND (a.missed OR a.announced) AND a.missed IS NOT NULL) AS chances,
        count(*) FILTER (a.held AND a.missed) AS missed,
        sum(a.worth) FILTER (a.held AND a.missed) AS worth
    FROM announcements a JOIN deals d USING (match_no, deal_index) JOIN deal_seats t USING (match_no, deal_index, seat)
    WHERE d.void IS NULL AND NOT d.is_score_line AND d.dealer IS NOT NULL GROUP BY ALL
)
SELECT match_no, player_no, status, kind, trump, won, count(*) FILTER (held) AS held,
    count(*) FILTER (announced) AS announced, count(*) FILTER (shown) AS shown,
    count(*) FILTER (counted) AS counted, sum(made) AS announcements_made, coalesce(sum(points), 0) AS points,
    sum(chances) AS chances, sum(missed) AS missed, coalesce(sum(worth), 0) AS worth
FROM hands GROUP BY ALL ORDER BY ALL;

CREATE TEMP MACRO all_announcement_rollup() AS TABLE
WITH every_announcement AS (
    SELECT a.*, d.status, d.outcome, t.won,
        a.missed AND a.held AND d.winning_side > 0 AND NOT t.won AS lost
    FROM announcements a JOIN deals d USING (match_no, deal_index) JOIN deal_seats t USING (match_no, deal_index, seat)
    WHERE (a.announced OR a.missed) AND d.void IS NULL AND NOT d.is_score_line AND d.dealer IS NOT NULL
), several AS (
    SELECT match_no, deal_index, seat, kind, trump FROM every_announcement WHERE announced
    GROUP BY ALL HAVING count(*) > 1
), first_mentions AS (
    SELECT match_no, deal_index, seat, kind, suit, (
        1 * (held AND suit IS NOT DISTINCT FROM min(suit) FILTER (held) OVER in_trick)::INTEGER +
        2 * (announced AND suit IS NOT DISTINCT FROM min(suit) FILTER (announced) OVER in_trick)::INTEGER +
        4 * (shown AND suit IS NOT DISTINCT FROM min(suit) FILTER (shown) OVER in_trick)::INTEGER +
        8 * (counted AND suit IS NOT DISTINCT FROM min(suit) FILTER (counted) OVER in_trick)::INTEGER +
        16 * (held AND suit IS NOT DISTINCT FROM min(suit) FILTER (held) OVER in_phase)::INTEGER +
        32 * (announced AND suit IS NOT DISTINCT FROM min(suit) FILTER (announced) OVER in_phase)::INTEGER +
        64 * (shown AND suit IS NOT DISTINCT FROM min(suit) FILTER (shown) OVER in_phase)::INTEGER +
        128 * (counted AND suit IS NOT DISTINCT FROM min(suit) FILTER (counted) OVER in_phase)::INTEGER +
        256 * (held AND suit IS NOT DISTINCT FROM min(suit) FILTER (held) OVER by_lead)::INTEGER +
        512 * (announced AND suit IS NOT DISTINCT FROM min(suit) FILTER (announced) OVER by_lead)::INTEGER +
        1024 * (shown AND suit IS NOT DISTINCT FROM min(suit) FILTER (shown) OVER by_lead)::INTEGER +
        2048 * (counted AND suit IS NOT DISTINCT FROM min(suit) FILTER (counted) OVER by_lead)::INTEGER
    ) AS first_mentions
    FROM every_announcement SEMI JOIN several USING (match_no, deal_index, seat, kind, trump) WHERE announced
    WINDOW in_trick AS (PARTITION BY match_no, deal_index, seat, kind, trump, trick),
        in_phase AS (PARTITION BY match_no, deal_index, seat, kind, trump, closed),
        by_lead AS (PARTITION BY match_no, deal_index, seat, kind, trump, lead)
), losers AS (
    SELECT DISTINCT match_no, deal_index, seat FROM every_announcement WHERE lost
), shorts AS (
    SELECT match_no, deal_index, l.seat, max(s.points) FILTER (s.seat <> l.seat)
        - max(s.points) FILTER (s.seat = l.seat) AS points_short, true AS lost
    FROM losers l JOIN deal_seats s USING (match_no, deal_index) GROUP BY ALL
)
SELECT match_no, a.deal_index, a.seat, a.status, a.kind, a.trump, a.announced, a.trick, a.closed, a.lead,
    CASE WHEN a.counted THEN a.points ELSE 0 END AS points,
    CASE WHEN a.announced THEN coalesce(f.first_mentions,
        273 * (a.held::INTEGER + 2 + 4 * a.shown::INTEGER + 8 * a.counted::INTEGER)) ELSE 0
    END AS first_mentions,
    a.missed, a.won, CASE WHEN s.seat IS NOT NULL THEN a.outcome END AS outcome, s.points_short,
    CASE WHEN s.seat IS NOT NULL THEN a.worth END AS worth,
    m.game, m.player_count, m.preset, m.event, m.source, m.played_on
FROM every_announcement a JOIN matches m USING (match_no)
    LEFT JOIN first_mentions f ON f.match_no = a.match_no AND f.deal_index = a.deal_index AND f.seat = a.seat
        AND f.kind = a.kind AND f.suit IS NOT DISTINCT FROM a.suit
    LEFT JOIN shorts s ON s.match_no = a.match_no AND s.deal_index = a.deal_index AND s.seat = a.seat
        AND s.lost = a.lost
ORDER BY a.match_no, a.deal_index, a.seat, a.kind, a.suit;
