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

CREATE TYPE verdict AS ENUM ('legal', 'irregular', 'incomplete', 'broken', 'unreadable');

CREATE TABLE matches (
    match_no BIGINT NOT NULL,
    match_id VARCHAR NOT NULL,    -- hash of the decoded content, 32 hexadecimal digits
    log_id VARCHAR,               -- the id the log gives itself
    file_no BIGINT NOT NULL,
    line BIGINT NOT NULL,         -- in the file, from 1
    status verdict NOT NULL,
    findings INTEGER NOT NULL,
    game VARCHAR,                 -- NULL from here on where a log was unreadable
    preset VARCHAR,
    options VARCHAR,              -- the rules as the log gives them, JSON
    players UTINYINT,
    played_at TIMESTAMPTZ,
    event VARCHAR,                -- the event's name
    details VARCHAR,              -- the whole event and source, JSON
    source VARCHAR,               -- the source's name
    deals INTEGER NOT NULL,
    winner UTINYINT,              -- seat, 0 for none; NULL while unfinished
    rules_version USMALLINT NOT NULL
);

CREATE TABLE players (
    player_no INTEGER NOT NULL,
    player_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL
);

CREATE TABLE seats (
    match_no BIGINT NOT NULL,
    seat UTINYINT NOT NULL,       -- from 1, as in the log
    player_no INTEGER NOT NULL,
    score SMALLINT,               -- parties won in the match, or the side's marks
    manches SMALLINT,             -- won
    under SMALLINT                -- of them, with the others passed under the table
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
    made BOOLEAN,                 -- the contract was made
    first_lead UTINYINT,          -- card
    tricks UTINYINT,
    deck UTINYINT[],              -- NULL where it could not be read
    actions USMALLINT[],          -- as the engine numbers them
    takers UTINYINT[]             -- who took each trick, seats from 1
);

CREATE TABLE deal_seats (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    points SMALLINT NOT NULL,     -- or the side's marks
    cards SMALLINT,               -- points of cards won, by the side where partners play
    bonus SMALLINT,               -- points of announcements, or of the reserve
    bid UTINYINT,                 -- the bid card
    met BOOLEAN,                  -- the bid was met
    tricks UTINYINT NOT NULL,
    brisques UTINYINT,            -- taken
    dealt BOOLEAN NOT NULL,
    der BOOLEAN NOT NULL,         -- took the last trick, or its side did
    sept UTINYINT,                -- trick of the exchange, from 1
    won BOOLEAN                   -- NULL when nobody won
);

CREATE TABLE announcements (
    match_no BIGINT NOT NULL,
    deal USMALLINT NOT NULL,
    seat UTINYINT NOT NULL,
    player_no INTEGER NOT NULL,
    kind VARCHAR NOT NULL,        -- as its game calls it
    suit UTINYINT,                -- 0 to 3, NULL where the kind has none
    trump BOOLEAN NOT NULL,
    held BOOLEAN NOT NULL,        -- in the hand on one of its player's turns
    announced BOOLEAN NOT NULL,
    shown BOOLEAN NOT NULL,
    counted BOOLEAN NOT NULL,
    trick UTINYINT,               -- of the announcement, from 1
    lead BOOLEAN,                 -- announced by the player who led that trick
    points SMALLINT NOT NULL,     -- counted
    month DATE                    -- of the match
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

CREATE TABLE raw (
    match_no BIGINT NOT NULL,
    text VARCHAR USING COMPRESSION zstd,  -- the log as it came
    bytes BLOB                    -- instead of it where it is not UTF-8
);

CREATE VIEW tricks AS
SELECT match_no, deal, UNNEST(range(1, len(takers) + 1)) AS trick, UNNEST(takers) AS taker
FROM deals;
