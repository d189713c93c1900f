-- Who may do what on the pages, and who did it. Nothing here is said in clear that would let anybody
-- in: of a token and of a browser's session a hash alone is kept.

CREATE TABLE tokens (
    token_no INTEGER NOT NULL,    -- from 1, never given twice
    name VARCHAR NOT NULL,        -- whom or what it was made for
    role VARCHAR NOT NULL,        -- reader, contributor, steward
    hash VARCHAR NOT NULL,
    made_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ
);

-- Browsers that are signed in.
CREATE TABLE sessions (
    hash VARCHAR NOT NULL,
    token_no INTEGER NOT NULL,
    opened_at TIMESTAMPTZ NOT NULL
);

-- What the steward has decided for the whole store: `reading` is `closed`, or it is open.
CREATE TABLE settings (
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL
);

-- Numbers, never names.
CREATE TABLE audit (
    done_at TIMESTAMPTZ NOT NULL,
    token_no INTEGER,             -- NULL: whoever has the file, or one who needs no token
    what VARCHAR NOT NULL,        -- add, or as in changes, or what was done to a token
    about BIGINT,                 -- the number of the file, the change or the token
    n BIGINT                      -- how many matches or players
);
