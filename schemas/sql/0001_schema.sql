-- A match and everything derived from it hang on match_no, given in order of arrival:
-- rows lie sorted by it, so a fetch by number needs no index.

CREATE SEQUENCE file_numbers MINVALUE 0 START 0;

CREATE TABLE files (
    file_no BIGINT NOT NULL,
    name VARCHAR NOT NULL,
    added_at TIMESTAMPTZ NOT NULL,
    matches BIGINT NOT NULL,      -- read in this file
    duplicates BIGINT NOT NULL    -- of them already in the store
);

-- From best to worst.
CREATE TYPE verdict AS ENUM (
    'legal', 'unverified', 'result-only', 'irregular', 'incomplete', 'broken', 'unreadable'
);

CREATE TABLE matches (
    match_no BIGINT NOT NULL,
    match_id VARCHAR NOT NULL,    -- hash of what was played, 32 hexadecimal digits
    content_id VARCHAR NOT NULL,  -- hash of all the log says, 32 hexadecimal digits
    start_id UBIGINT,             -- hash of the first deal's cards
    log_id VARCHAR,               -- the id the log gives itself
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,         -- in the file, from 1
    status verdict NOT NULL,
    findings INTEGER NOT NULL,
    game VARCHAR,                 -- NULL from here on where a log was unreadable
    preset VARCHAR,
    options VARCHAR,              -- the rules as the log gives them, JSON
    players UTINYINT,
    played_at TIMESTAMPTZ,        -- the moment, for the order of matches alone
    played_on DATE,               -- by the log's own clock, for all that counts days
    event VARCHAR,                -- the event's name
    details VARCHAR,              -- the whole event and source, JSON
    source VARCHAR,               -- the source's name
    deals INTEGER NOT NULL,
    winner UTINYINT,              -- seat, 0 for none; NULL while unfinished
    rules_version USMALLINT NOT NULL,
    sheet BOOLEAN DEFAULT false,  -- counts where score sheets count: it is one, or only a result
    result_only BOOLEAN DEFAULT false  -- it has no deals: only its result is known
);

CREATE TABLE players (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,   -- the first alias's
    name VARCHAR NOT NULL,        -- of the last match, unless the admin gave another
    name_alias INTEGER            -- the alias that the admin made for that name
);

-- Each pair of id and name that a log has for a player. `player_no` in all other tables follows from
-- these: merging and splitting players changes it here first.
CREATE TABLE aliases (
    alias_no INTEGER NOT NULL,
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,   -- as in the log
    name VARCHAR NOT NULL,        -- as in the log, the id where it has none
    key VARCHAR NOT NULL,         -- the id as it is compared (`schemas/player_key.py`)
    search_id VARCHAR NOT NULL,   -- the id as it is searched
    search_name VARCHAR NOT NULL  -- the name as it is searched
);

CREATE TABLE seats (
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1, as in the log
    player_no INTEGER NOT NULL,
    alias_no INTEGER NOT NULL,
    score SMALLINT,               -- parties won in the match, or the side's marks
    manches SMALLINT,             -- won
    shutout_manches SMALLINT      -- of them, with the others passed under the table
);

CREATE TABLE deals (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,      -- from 0, as in a finding's path
    status verdict NOT NULL,
    manche UTINYINT,              -- from 1
    partie USMALLINT,             -- from 1
    dealer UTINYINT,
    void VARCHAR,
    outcome UTINYINT,             -- the kernel's
    winner UTINYINT,              -- seat, 0 for a null partie; NULL when none is known
    trump UTINYINT,               -- suit, 0 to 3
    contract UTINYINT,            -- place among the levels that can be bid
    bidder UTINYINT,              -- seat
    coinched UTINYINT,            -- 1 doubled, 2 redoubled
    contract_made BOOLEAN,        -- the contract was made
    first_lead UTINYINT,          -- card
    tricks UTINYINT,
    deck UTINYINT[],              -- NULL where it could not be read, or came out one way or another
    actions USMALLINT[],          -- as the engine numbers them
    takers UTINYINT[],            -- who took each trick, seats from 1
    is_score_line BOOLEAN DEFAULT false  -- a line of a score sheet: no card was written down
);

CREATE TABLE deal_seats (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    points SMALLINT,              -- or the side's marks; NULL where a score sheet has none
    cards SMALLINT,               -- points of cards won, by the side where partners play
    bonus SMALLINT,               -- points of announcements, or of the reserve
    bid UTINYINT,                 -- the bid card
    bid_met BOOLEAN,              -- the bid was met
    tricks UTINYINT,              -- NULL of a score sheet, as all of its play
    brisques UTINYINT,            -- taken
    dealt BOOLEAN,
    der BOOLEAN,                  -- took the last trick, or its side did
    sept UTINYINT,                -- trick of the exchange, from 1
    won BOOLEAN,                  -- NULL when nobody won
    received SMALLINT,            -- card points of the cards that came to hand
    received_cards UTINYINT
);

CREATE TABLE announcements (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    kind VARCHAR NOT NULL,        -- a word of its game: no list of them is closed
    suit UTINYINT,                -- 0 to 3, NULL where the kind has none
    trump BOOLEAN NOT NULL,
    held BOOLEAN NOT NULL,        -- in the hand on one of its player's turns
    announced BOOLEAN NOT NULL,
    shown BOOLEAN NOT NULL,
    counted BOOLEAN NOT NULL,
    trick UTINYINT,               -- of the announcement, from 1
    lead BOOLEAN,                 -- announced by the player who led that trick
    points SMALLINT NOT NULL,     -- counted
    month DATE,                   -- of the match
    missed BOOLEAN,               -- the best of its suit held, none announced
    worth SMALLINT,               -- points it counts, or would have
    closed BOOLEAN                -- announced when nothing was left to draw
);

CREATE TABLE findings (
    match_no BIGINT NOT NULL,
    finding INTEGER NOT NULL,     -- from 0, in the order of the log
    code VARCHAR NOT NULL,
    rule VARCHAR NOT NULL,
    severity VARCHAR NOT NULL,
    path VARCHAR NOT NULL,        -- JSON pointer
    deal USMALLINT,
    action INTEGER,
    seat UTINYINT,
    found VARCHAR,                -- JSON
    legal VARCHAR                 -- JSON
);

-- Texts lie many in a block, compressed by who checks them; a row a match, so that a small file
-- writes little: rows are written anew by how many there are.
CREATE TABLE raw (
    match_no BIGINT NOT NULL,
    block BIGINT NOT NULL,        -- the match whose row has the block
    start UINTEGER NOT NULL,      -- where the log begins in it, in bytes
    size UINTEGER NOT NULL,
    zstd BLOB USING COMPRESSION uncompressed  -- the block, zstd
);

CREATE VIEW tricks AS
SELECT match_no, deal, UNNEST(range(1, len(takers) + 1)) AS trick, UNNEST(takers) AS taker
FROM deals;

-- What the owner of a store did besides adding files. Pages keep an answer until this grows.
CREATE TABLE change_log (
    change BIGINT NOT NULL,       -- from 0
    changed_at TIMESTAMPTZ NOT NULL,
    action VARCHAR NOT NULL       -- delete, undelete, empty, mask, unmask
);

-- Deleted matches as they came. All that was derived from them is gone, so no query meets them;
-- undeleting reads them again.
CREATE TABLE trash (
    change BIGINT NOT NULL,       -- the deletion
    match_no BIGINT NOT NULL,     -- what it was
    match_id VARCHAR NOT NULL,
    content_id VARCHAR NOT NULL,
    replaced_by VARCHAR,          -- id of the match that took its place; NULL: it was deleted
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,
    text VARCHAR USING COMPRESSION zstd,
    bytes BLOB
);

-- Which match each earlier version belongs to: one that replaced it may have been replaced in turn.
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

-- The key of this store's pseudonyms: whoever has no access to it cannot tell who is meant.
CREATE TABLE secret (
    key BLOB NOT NULL
);

-- Who the masked players are; `players` has their pseudonym for id and name.
CREATE TABLE masked (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);

-- What undoing a change of players needs: whose an alias was before, by which alias a player was
-- renamed, who was masked or not. Numbers, never names.
CREATE TABLE player_changes (
    change BIGINT NOT NULL,
    kind VARCHAR NOT NULL,        -- alias, stay, name, mask, unmask
    player_no INTEGER NOT NULL,
    alias_no INTEGER
);

-- Aliases that the admin declared to be two people.
CREATE TABLE different_players (
    alias_no INTEGER NOT NULL,
    other_alias_no INTEGER NOT NULL
);

-- Whether two matches without cards are one, as somebody answered. By their ids: numbers are a store's.
CREATE TABLE match_answers (
    change BIGINT NOT NULL,
    answer VARCHAR NOT NULL,      -- same, different
    match_id VARCHAR NOT NULL,    -- the match that stayed
    other_id VARCHAR NOT NULL     -- the one that became an earlier version of it
);

-- Every id and name that finds a player; only the pseudonym finds a masked one.
CREATE VIEW player_names AS
SELECT player_no, player_id, name, search_id, search_name FROM aliases ANTI JOIN masked USING (player_no)
UNION ALL SELECT player_no, player_id, name, lower(player_id), lower(name)
FROM players SEMI JOIN masked USING (player_no);

-- One ladder per game and preset: after each match that is rated, what each of its players is
-- worth. Derived from the matches alone, in the order they were played; see ingest/ladder.py.

CREATE TABLE ratings (
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    match_order INTEGER NOT NULL,       -- of the match in its ladder's order, from 0
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    player_no INTEGER NOT NULL,
    rank UTINYINT NOT NULL,       -- in the match, from 1; partners and equals share one
    mu DOUBLE NOT NULL,
    sigma DOUBLE NOT NULL
);

-- Addresses of what was purged, so that an old link is told that it is gone: a keyed hash of each,
-- since an id may have a name in it.

CREATE TABLE purged (
    address VARCHAR NOT NULL
);

-- Who may do what on the pages, and who did it. Nothing here is said in clear that would let anybody
-- in: of a token and of a browser's session a hash alone is kept.

CREATE TABLE tokens (
    token_no INTEGER NOT NULL,    -- from 1, never given twice
    name VARCHAR NOT NULL,        -- whom or what it was made for
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
    used_at TIMESTAMPTZ NOT NULL  -- to some minutes
);

-- What the admin has decided for the whole store: `access` is `private`, or everybody reads.
CREATE TABLE settings (
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);

-- Numbers, never names.
CREATE TABLE audit (
    done_at TIMESTAMPTZ NOT NULL,
    token_no INTEGER,             -- NULL: whoever has the file, or one who needs no token
    action VARCHAR NOT NULL,      -- add, or as in change_log, or what was done to a token
    about BIGINT,                 -- the number of the file, the change or the token
    n BIGINT                      -- how many matches or players
);

-- Sheets of which the store has the log of the same match, played card by card (`log_no`): known
-- by the id both give themselves, or by the same players in their seats on one day with one score.
-- Without a sheet no log is looked at.
CREATE VIEW sheet_with_log AS
WITH sheets AS (FROM matches WHERE sheet),
logs AS (
    FROM matches
    WHERE NOT sheet AND NOT result_only AND status <> 'unreadable' AND game IN (SELECT game FROM sheets)
),
near AS (
    SELECT s.match_no, l.match_no AS log_no FROM sheets s JOIN logs l
        ON l.game = s.game AND l.played_on = s.played_on AND l.deals = s.deals AND l.deals > 0
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

-- Matches that somebody is still typing in. Whoever has a draft's secret may go on with it; here only
-- its hash is kept, as of tokens.

CREATE TABLE drafts (
    hash VARCHAR NOT NULL,
    begun_at TIMESTAMPTZ NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL,
    head VARCHAR NOT NULL,        -- JSON: the game, the players, the rules
    steps VARCHAR NOT NULL,       -- JSON: a list of what was typed, in order
    version INTEGER NOT NULL,     -- grows with each change
    device VARCHAR NOT NULL       -- the page that changed it last
);

-- What sheets of one fingerprint are taken for: the next such sheet is read the same way.
CREATE TABLE sheet_mappings (
    fingerprint VARCHAR NOT NULL,
    sheet VARCHAR NOT NULL,
    confirmed_at TIMESTAMPTZ NOT NULL,
    mapping VARCHAR NOT NULL      -- JSON
);

-- What statistics ask, counted beforehand. All of it follows from the tables of play, is written
-- with them in one transaction (`ingest/store/rollups.py`) and goes with its match. Deals that are
-- void count in no figure: `match_deals` alone knows of them.

-- How the deals of a match came out: a row for each that is alike in all but the last three.
CREATE TABLE match_deals (
    match_no BIGINT NOT NULL,
    status verdict NOT NULL,
    void BOOLEAN NOT NULL,
    is_score_line BOOLEAN NOT NULL,  -- lines of a score sheet
    dealt BOOLEAN NOT NULL,       -- they were dealt, or a sheet tells how they ended
    deals INTEGER NOT NULL,
    decided INTEGER NOT NULL,   -- that somebody won
    drawn INTEGER NOT NULL      -- that nobody won; of the others it is not known
);

-- What a seat came to in the deals of a match; all from `wins` on of those somebody won.
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
    cards INTEGER,
    cards_squared BIGINT,
    bonus INTEGER,
    bonus_squared BIGINT,
    contracts INTEGER NOT NULL, -- bid by this seat
    contracts_made INTEGER NOT NULL,
    bids_met INTEGER NOT NULL,
    counted INTEGER NOT NULL,   -- announcements
    counted_squared INTEGER NOT NULL
);

-- Hands of a match that had a kind of announcement, of one player, trump or plain.
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
    announcements_made INTEGER NOT NULL,  -- announcements: a hand may say one kind in two suits
    points INTEGER NOT NULL,      -- counted
    chances INTEGER NOT NULL,   -- announcements said or missed
    missed INTEGER NOT NULL,    -- of them
    worth INTEGER NOT NULL        -- of those missed
);

-- Every announcement that was said or missed, beside it what its deal and its match are.
CREATE TABLE announcement_rollup (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
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
    outcome UTINYINT,             -- from here on of those missed by who lost: the kernel's
    points_short SMALLINT,               -- points the best of the others had more
    worth SMALLINT,
    game VARCHAR,                 -- from here on as in matches
    players UTINYINT,
    preset VARCHAR,
    event VARCHAR,
    source VARCHAR,
    played_on DATE
);

-- What the end of each deal was worth. It follows from the tables of play and goes with its match,
-- but is computed later (`ingest/store/solve_job.py`): a match of which no deal has a row here is not
-- yet computed, a deal that is not solved has a row with the reason.

CREATE TABLE endgame_values (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    unsolved VARCHAR,             -- why not; of the others
    first_action USMALLINT,       -- the action with which what is solved begins
    points_lead SMALLINT,         -- what side 1 had more than side 2 there
    margin SMALLINT,              -- what it still makes more with best play of both
    best_winner UTINYINT,         -- then, as in deals
    turning_action USMALLINT      -- the last action before which it was another than after it
);

CREATE TABLE endgame_seat_values (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1
    cards_played UTINYINT NOT NULL,  -- cards from there on
    forced UTINYINT NOT NULL,     -- of them those that alone could be laid
    lost SMALLINT NOT NULL,       -- points
    costly UTINYINT NOT NULL,     -- cards that lost some
    worst_action USMALLINT,       -- the action that lost most
    worst_loss SMALLINT NOT NULL
);

-- Simulated deals in tables of the same names, so that any query can be asked of chance too.
-- deck, actions and takers stay NULL there; a run is an event, a player's name a habit.

CREATE SCHEMA baseline;

CREATE TABLE baseline.runs (
    run INTEGER NOT NULL,
    game VARCHAR NOT NULL,
    preset VARCHAR NOT NULL,
    players UTINYINT NOT NULL,
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

-- A table made like another has none of its defaults.
ALTER TABLE baseline.deals ALTER COLUMN is_score_line SET DEFAULT false;
