-- A kind of announcement is a word of its game, and no list of them is closed: another game has
-- others. Which comes first is for the game to say. Stores made since have it so from the start.

ALTER TABLE announcements ALTER COLUMN kind SET DATA TYPE VARCHAR;
ALTER TABLE baseline.announcements ALTER COLUMN kind SET DATA TYPE VARCHAR;
DROP TYPE IF EXISTS kind;
