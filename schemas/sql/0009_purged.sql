-- Addresses of what was purged, so that an old link is told that it is gone: a keyed hash of each,
-- since an id may have a name in it.

CREATE TABLE purged (
    address VARCHAR NOT NULL
);
