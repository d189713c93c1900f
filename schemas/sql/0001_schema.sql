-- All tables of a match refer to it by match_no, given in order of arrival. Rows are sorted by it,
-- so a look-up by number needs no index.

CREATE SEQUENCE file_numbers MINVALUE 0 START 0;

CREATE TABLE files (
    file_no BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    added_at TIMESTAMPTZ NOT NULL,
    matches BIGINT NOT NULL,      -- read in this file
    already_stored BIGINT NOT NULL  -- of them already in the store
);

-- Verdicts, from best to worst.
CREATE TYPE verdict AS ENUM (
    'legal', 'unverified', 'result-only', 'irregular', 'incomplete', 'broken', 'unreadable'
);

CREATE TABLE matches (
    match_no BIGINT NOT NULL,
    match_id VARCHAR NOT NULL,    -- hash of what was played, 32 hexadecimal digits
    content_id VARCHAR NOT NULL,  -- hash of the whole log, 32 hexadecimal digits
    start_id UBIGINT,             -- hash of the first deal's cards
    log_id VARCHAR,               -- the log's own id
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,         -- in the file, from 1
    status verdict NOT NULL,
    findings INTEGER NOT NULL,
    game VARCHAR,                 -- NULL, like all that follow, if the log was unreadable
    preset VARCHAR,
    options VARCHAR,              -- rule options of the log, JSON
    player_count UTINYINT,
    played_at TIMESTAMPTZ,        -- only orders matches
    played_on DATE,               -- in the log's own time zone; statistics use it
    event VARCHAR,                -- the event's name
    details VARCHAR,              -- the whole event and source, JSON
    source VARCHAR,               -- the source's name
    deals INTEGER NOT NULL,
    winning_side UTINYINT,        -- seat or team, 0 for none; NULL while unfinished
    rules_version USMALLINT NOT NULL,
    is_score_sheet BOOLEAN DEFAULT false,  -- a score sheet, or only a result
    result_only BOOLEAN DEFAULT false  -- it has no deals: only its result is known
);

CREATE TABLE players (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,   -- of the first alias
    name VARCHAR NOT NULL,        -- as in the last match, unless the admin renamed the player
    name_alias_no INTEGER            -- the alias that the admin made for that name
);

-- Each pair of id and name that a log has for a player. `player_no` of all other tables is derived from
-- these: merging and splitting players changes this table first.
CREATE TABLE aliases (
    alias_no INTEGER NOT NULL,
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,   -- as in the log
    name VARCHAR NOT NULL,        -- as in the log; its id if it has no name
    key VARCHAR NOT NULL,         -- the id, normalized for comparison (`schemas/player_key.py`)
    search_id VARCHAR NOT NULL,   -- the id, normalized for search
    search_name VARCHAR NOT NULL  -- the name, normalized for search
);

CREATE TABLE seats (
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1, as in the log
    player_no INTEGER NOT NULL,
    alias_no INTEGER NOT NULL,
    score SMALLINT,               -- parties won in the match, or the side's marks
    manches SMALLINT,             -- won
    shutout_manches SMALLINT      -- of them those in which the others won no partie
);

CREATE TABLE deals (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,      -- from 0, as in a finding's path
    status verdict NOT NULL,
    manche UTINYINT,              -- from 1
    partie USMALLINT,             -- from 1
    dealer UTINYINT,
    void VARCHAR,
    outcome UTINYINT,             -- a code of the game's kernel
    winning_side UTINYINT,        -- seat or team, 0 for a null partie; NULL when none is known
    trump UTINYINT,               -- suit, 0 to 3
    contract UTINYINT,            -- place among the levels that can be bid
    declarer UTINYINT,            -- seat
    coinched UTINYINT,            -- 1 doubled, 2 redoubled
    contract_made BOOLEAN,        -- the contract was made
    first_lead UTINYINT,          -- card
    tricks UTINYINT,
    deck UTINYINT[],              -- NULL if unreadable or not certain
    actions USMALLINT[],          -- action codes of the engine
    actions_hash UINTEGER,        -- hash of `actions`; NULL below two tricks
    trick_winners UTINYINT[],     -- who won each trick, seats from 1
    is_score_line BOOLEAN DEFAULT false  -- a line of a score sheet, without cards
);

CREATE TABLE deal_seats (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    points SMALLINT,              -- or marks of the side; NULL if a score sheet has none
    card_points SMALLINT,         -- points of cards won, by the side where partners play
    bonus SMALLINT,               -- points of announcements, or of the reserve
    bid UTINYINT,                 -- the bid card
    bid_met BOOLEAN,              -- the bid was met
    tricks UTINYINT,              -- NULL of a score sheet, as for all of its play
    brisques UTINYINT,            -- taken
    dealt BOOLEAN,
    der BOOLEAN,                  -- took the last trick, or its side did
    sept UTINYINT,                -- trick of the exchange, from 1
    won BOOLEAN,                  -- NULL when nobody won
    received SMALLINT,            -- card points of the cards dealt and drawn
    received_cards UTINYINT
);

CREATE TABLE announcements (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    kind VARCHAR NOT NULL,        -- a name of its game
    suit UTINYINT,                -- 0 to 3, NULL where the kind has none
    trump BOOLEAN NOT NULL,
    held BOOLEAN NOT NULL,        -- in the hand at one of the player's turns
    announced BOOLEAN NOT NULL,
    shown BOOLEAN NOT NULL,
    counted BOOLEAN NOT NULL,
    trick UTINYINT,               -- of the announcement, from 1
    lead BOOLEAN,                 -- announced by the player who led that trick
    points SMALLINT NOT NULL,     -- counted
    month DATE,                   -- of the match
    missed BOOLEAN,               -- the best of its suit held, none announced
    worth SMALLINT,               -- points it counts, or would have counted
    closed BOOLEAN                -- announced when nothing was left to draw
);

CREATE TABLE findings (
    match_no BIGINT NOT NULL,
    finding_index INTEGER NOT NULL, -- from 0, in the order of the log
    code VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    path VARCHAR NOT NULL,        -- JSON pointer
    deal_index USMALLINT,
    action_index INTEGER,
    seat UTINYINT,
    found VARCHAR,                -- JSON
    legal VARCHAR                 -- JSON
);

-- Logs, many compressed in one block by the process that validates them. One row per match, so that
-- storing a small file writes little.
CREATE TABLE raw (
    match_no BIGINT NOT NULL,
    block BIGINT NOT NULL,        -- the match whose row has the block
    start UINTEGER NOT NULL,      -- offset of the log in the block, in bytes
    size UINTEGER NOT NULL,
    zstd BLOB USING COMPRESSION uncompressed  -- the block, zstd
);

CREATE VIEW tricks AS
SELECT match_no, deal_index, UNNEST(range(1, len(trick_winners) + 1)) AS trick, UNNEST(trick_winners) AS winner
FROM deals;

-- Changes of the store other than adding files. A new row invalidates cached answers of the pages.
CREATE TABLE change_log (
    change BIGINT NOT NULL,       -- from 0
    changed_at TIMESTAMPTZ NOT NULL,
    action VARCHAR NOT NULL       -- delete, undelete, empty, mask, unmask
);

-- Deleted matches as they arrived. Their derived rows are deleted, so no query counts them; undelete
-- validates them again.
CREATE TABLE trash (
    change BIGINT NOT NULL,       -- the deletion
    match_no BIGINT NOT NULL,     -- its former number
    match_id VARCHAR NOT NULL,
    content_id VARCHAR NOT NULL,
    log_id VARCHAR,
    replaced_by VARCHAR,          -- id of the match that took its place; NULL: it was deleted
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,
    text VARCHAR USING COMPRESSION zstd,
    bytes BLOB
);

-- The match each earlier version belongs to: the match that replaced it may be replaced in turn.
CREATE VIEW match_versions AS
WITH RECURSIVE later AS (
    SELECT match_id, arg_max(replaced_by, (change, match_no)) AS next_id
    FROM trash ANTI JOIN matches USING (match_id) WHERE replaced_by <> match_id GROUP BY match_id
), followed AS (
    SELECT DISTINCT replaced_by AS first_id, replaced_by AS match_id FROM trash WHERE replaced_by IS NOT NULL
    UNION
    SELECT first_id, next_id FROM followed JOIN later USING (match_id)
)
SELECT change, match_no, followed.match_id
FROM trash JOIN (followed ANTI JOIN later USING (match_id)) ON first_id = replaced_by;

-- The key of this store's pseudonyms: without it nobody can compute who a pseudonym is.
CREATE TABLE secret (
    key BLOB NOT NULL
);

-- Ids and names of masked players; in `players` both are the pseudonym.
CREATE TABLE masked (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);

-- What undo of a change of players needs: the former player of an alias, the alias of a new name,
-- whether the player was masked. Numbers, never names.
CREATE TABLE player_changes (
    change BIGINT NOT NULL,
    kind VARCHAR NOT NULL,        -- alias, stay, name, new-name, mask, unmask
    player_no INTEGER NOT NULL,
    alias_no INTEGER
);

-- Aliases that the admin declared to be different people.
CREATE TABLE different_players (
    alias_no INTEGER NOT NULL,
    other_alias_no INTEGER NOT NULL
);

-- Answers to whether two matches without cards are the same. By id: numbers differ between stores.
CREATE TABLE match_answers (
    change BIGINT NOT NULL,
    answer VARCHAR NOT NULL,      -- same, different
    match_id VARCHAR NOT NULL,    -- the match that remains
    other_id VARCHAR NOT NULL     -- the one that became an earlier version of it
);

-- Every id and name that finds a player; only the pseudonym finds a masked one.
CREATE VIEW player_names AS
SELECT player_no, player_id, name, search_id, search_name FROM aliases ANTI JOIN masked USING (player_no)
UNION ALL SELECT player_no, player_id, name, lower(player_id), lower(name)
FROM players SEMI JOIN masked USING (player_no);

-- One ladder per game and preset: the rating of each player after each rated match. Derived from the
-- matches alone, in the order they were played; see ingest/ladder.py.

CREATE TABLE ratings (
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    match_index INTEGER NOT NULL, -- of the match in its ladder, from 0
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    player_no INTEGER NOT NULL,
    rank UTINYINT NOT NULL,       -- in the match, from 1; partners and equals share one
    mu DOUBLE NOT NULL,
    sigma DOUBLE NOT NULL
);

-- Purged ids, so that old links answer 410: a keyed hash of each, because an id may contain a name.

CREATE TABLE purged (
    address VARCHAR NOT NULL
);

-- Access tokens with their roles, and an audit log. Of tokens and sessions only hashes are stored.

CREATE TABLE tokens (
    token_no INTEGER NOT NULL,    -- from 1, never reused
    name VARCHAR NOT NULL,        -- person or purpose
    role VARCHAR NOT NULL,        -- reader, contributor, admin
    hash VARCHAR NOT NULL,
    made_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ
);

-- Browsers that are signed in.
CREATE TABLE sessions (
    hash VARCHAR NOT NULL,
    token_no INTEGER NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL,
    used_at TIMESTAMPTZ NOT NULL  -- accurate to some minutes
);

-- Settings of the whole store: with `access` `private`, reading needs a token.
CREATE TABLE settings (
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);

-- Numbers, never names.
CREATE TABLE audit (
    done_at TIMESTAMPTZ NOT NULL,
    token_no INTEGER,             -- NULL: a local command, or a request without a token
    action VARCHAR NOT NULL,      -- add, an action of change_log, or of a token
    about BIGINT,                 -- the number of the file, the change or the token
    n BIGINT                      -- how many matches or players
);

-- Score sheets of matches of which the store also has the log with cards (`log_no`): both have the same
-- id, or the same players in the same seats, day and score. Empty without sheets.
CREATE VIEW sheet_with_log AS
WITH sheets AS (FROM matches WHERE is_score_sheet),
logs AS (
    FROM matches
    WHERE NOT is_score_sheet AND NOT result_only AND status <> 'unreadable' AND game IN (SELECT game FROM sheets)
),
near AS (
    SELECT s.match_no, l.match_no AS log_no FROM sheets s JOIN logs l
        ON l.game = s.game AND l.played_on = s.played_on AND l.deals = s.deals AND l.deals > 0
),
seated AS (
    SELECT match_no, list((player_no, score) ORDER BY seat) AS seats FROM seats
    WHERE match_no IN (SELECT match_no FROM near UNION SELECT log_no FROM near) GROUP BY match_no
)
SELECT f.match_no, min_by(log_no, (NOT counts, log_no)) AS log_no, bool_or(counts) AS log_counts FROM (
    SELECT s.match_no, l.match_no AS log_no FROM sheets s JOIN logs l
        ON l.game = s.game AND l.log_id = s.log_id
    UNION ALL
    SELECT n.match_no, n.log_no FROM near n JOIN seated a ON a.match_no = n.match_no
        JOIN seated b ON b.match_no = n.log_no AND b.seats = a.seats
) f JOIN (
    SELECT match_no, status = 'legal' AND winning_side IS NOT NULL AND played_at IS NOT NULL AS counts FROM logs
) l ON l.match_no = log_no GROUP BY f.match_no;

-- Ladders that also rate score sheets; `ratings` has only matches with cards.
CREATE TABLE sheet_ratings AS FROM ratings LIMIT 0;

-- Matches that are being typed. The secret of a draft is needed to continue it; only its hash is stored.

CREATE TABLE drafts (
    hash VARCHAR NOT NULL,
    begun_at TIMESTAMPTZ NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    head VARCHAR NOT NULL,        -- JSON: the game, the players, the rules
    steps VARCHAR NOT NULL,       -- JSON: a list of what was typed, in order
    version INTEGER NOT NULL,     -- grows with each change
    device VARCHAR NOT NULL       -- the browser that changed it last
);

-- Confirmed column mappings by fingerprint of a sheet: the next such sheet is read the same way.
CREATE TABLE sheet_mappings (
    fingerprint VARCHAR NOT NULL,
    sheet VARCHAR NOT NULL,
    confirmed_at TIMESTAMPTZ NOT NULL,
    mapping VARCHAR NOT NULL      -- JSON
);

-- Rollups: precomputed counts for statistics, derived from the tables above, written with them in one
-- transaction (`ingest/store/rollups.py`) and deleted with their match. Only `match_deals` counts void
-- deals.

-- Results of the deals of a match, grouped by all columns but the last three.
CREATE TABLE match_deals (
    match_no BIGINT NOT NULL,
    status verdict NOT NULL,
    void BOOLEAN NOT NULL,
    is_score_line BOOLEAN NOT NULL,  -- lines of a score sheet
    dealt BOOLEAN NOT NULL,       -- they were dealt, or a sheet has their result
    deals INTEGER NOT NULL,
    decided INTEGER NOT NULL,   -- with a winner
    drawn INTEGER NOT NULL      -- without a winner; of the others it is unknown
);

-- Results of a seat in the deals of a match; from `wins` on, only of deals with a winner.
CREATE TABLE match_seats (
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    player_no INTEGER NOT NULL,
    status verdict NOT NULL,
    is_score_line BOOLEAN NOT NULL,
    deals INTEGER NOT NULL,
    decided INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    deals_with_points INTEGER NOT NULL,  -- whose points are known
    points INTEGER,
    points_squared BIGINT,        -- the sum of each deal’s square
    card_points INTEGER,
    card_points_squared BIGINT,
    bonus INTEGER,
    bonus_squared BIGINT,
    contracts INTEGER NOT NULL, -- bid by this seat
    contracts_made INTEGER NOT NULL,
    bids_met INTEGER NOT NULL,
    counted INTEGER NOT NULL,   -- announcements
    counted_squared INTEGER NOT NULL
);

-- Hands of a player in a match with a kind of announcement, trump or plain.
CREATE TABLE match_kinds (
    match_no BIGINT NOT NULL,
    player_no INTEGER NOT NULL,
    status verdict NOT NULL,
    kind VARCHAR NOT NULL,
    trump BOOLEAN NOT NULL,
    won BOOLEAN,                  -- the deal; NULL when nobody did
    held INTEGER NOT NULL,
    announced INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    counted INTEGER NOT NULL,
    announcements_made INTEGER NOT NULL,  -- one hand may announce a kind in two suits
    points INTEGER NOT NULL,      -- counted
    chances INTEGER NOT NULL,   -- announced or missed
    missed INTEGER NOT NULL,    -- of them
    worth INTEGER NOT NULL        -- of those missed
);

-- Every announcement that was made or missed, with columns of its deal and match.
CREATE TABLE announcement_rollup (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    status verdict NOT NULL,
    kind VARCHAR NOT NULL,
    trump BOOLEAN NOT NULL,
    announced BOOLEAN NOT NULL,
    trick UTINYINT,
    closed BOOLEAN,
    lead BOOLEAN,
    points SMALLINT NOT NULL,     -- counted
    -- whether it is the first of its hand and kind that was held (1), announced (2), shown (4),
    -- counted (8): in its trick, in its phase (these times 16), by who led or not (times 256)
    first_mentions USMALLINT NOT NULL,
    missed BOOLEAN,
    won BOOLEAN,                  -- the deal; NULL when nobody did
    outcome UTINYINT,             -- this and the next two: of those missed by a loser
    points_short SMALLINT,        -- by how many points the best opponent was ahead
    worth SMALLINT,
    game VARCHAR,                 -- from here on as in matches
    player_count UTINYINT,
    preset VARCHAR,
    event VARCHAR,
    source VARCHAR,
    played_on DATE
);

-- The solver's results for the end of each deal, deleted with their match and computed later
-- (`ingest/store/solve_job.py`): a match without rows is not computed yet, a deal that cannot be solved
-- has a row with the reason.

CREATE TABLE endgame_values (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,
    unsolved VARCHAR,             -- the reason; NULL if solved. Then:
    first_action_index USMALLINT,       -- the first action that is solved
    points_lead SMALLINT,         -- lead of side 1 over side 2 there
    margin SMALLINT,              -- its further lead with best play of both
    best_winning_side UTINYINT,   -- with best play, as in deals
    turning_action_index USMALLINT      -- the last action that changed the winner
);

CREATE TABLE endgame_seat_values (
    match_no BIGINT NOT NULL,
    deal_index USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    cards_played UTINYINT NOT NULL,  -- from first_action_index on
    forced UTINYINT NOT NULL,     -- of them the only legal card
    lost SMALLINT NOT NULL,       -- points
    costly UTINYINT NOT NULL,     -- cards that lost some
    worst_action_index USMALLINT,       -- the action that lost most
    worst_loss SMALLINT NOT NULL
);

-- Simulated deals in tables of the same names, so that queries also run on them. deck, actions and
-- trick_winners are NULL; a run is an event, a player's name a habit.

CREATE SCHEMA baseline;

CREATE TABLE baseline.runs (
    run INTEGER NOT NULL,
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    player_count UTINYINT NOT NULL,
    habit VARCHAR,                -- NULL: drawn by lot for each match
    min_deals INTEGER NOT NULL,
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
CREATE TABLE baseline.match_deals AS FROM match_deals LIMIT 0;
CREATE TABLE baseline.match_seats AS FROM match_seats LIMIT 0;
CREATE TABLE baseline.match_kinds AS FROM match_kinds LIMIT 0;
CREATE TABLE baseline.announcement_rollup AS FROM announcement_rollup LIMIT 0;

-- CREATE TABLE … AS copies no defaults.
ALTER TABLE baseline.deals ALTER COLUMN is_score_line SET DEFAULT false;
