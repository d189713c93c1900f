-- What a lake needs beside its tables, since those have no key: who stores which match and player,
-- and numbers nobody waits for. A claim holds once its writer is done, which is said in the very
-- transaction that makes the writer's rows visible.

CREATE SCHEMA retourne;

CREATE TABLE retourne.writers (
    writer bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    begun_at timestamptz NOT NULL DEFAULT now(),
    done boolean NOT NULL DEFAULT false,
    given_up boolean NOT NULL DEFAULT false  -- somebody has taken over: it can be done no more
);

CREATE TABLE retourne.matches (
    match_id uuid PRIMARY KEY,
    writer bigint NOT NULL
);

CREATE TABLE retourne.players (
    player_id text PRIMARY KEY,
    player_no integer NOT NULL,
    writer bigint NOT NULL
);

-- What a writer's transaction takes away, once it is done.
CREATE TABLE retourne.freed_matches (writer bigint NOT NULL, match_id uuid NOT NULL);
CREATE TABLE retourne.freed_players (writer bigint NOT NULL, player_no integer NOT NULL);

CREATE SEQUENCE retourne.match_numbers MINVALUE 0 START 0;
CREATE SEQUENCE retourne.file_numbers MINVALUE 0 START 0;
CREATE SEQUENCE retourne.player_numbers AS integer MINVALUE 0 START 0;

-- The snapshots in which games came, or came to be shown otherwise, or their values were reckoned.
CREATE TABLE retourne.state (files bigint NOT NULL, changes bigint NOT NULL, reckoned bigint NOT NULL);
INSERT INTO retourne.state VALUES (-1, -1, -1);

CREATE FUNCTION retourne.commit_of_a_writer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    told text[] := string_to_array(NEW.commit_extra_info, ' ');
    number bigint;
BEGIN
    IF told[1] IS DISTINCT FROM 'retourne' THEN
        RETURN NEW;
    END IF;
    number := told[2]::bigint;
    UPDATE retourne.writers SET done = true WHERE writer = number AND NOT given_up;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'retourne: writer % was given up', number;
    END IF;
    DELETE FROM retourne.matches m USING retourne.freed_matches f
        WHERE f.writer = number AND m.match_id = f.match_id;
    DELETE FROM retourne.freed_matches WHERE writer = number;
    DELETE FROM retourne.players p USING retourne.freed_players f
        WHERE f.writer = number AND p.player_no = f.player_no;
    DELETE FROM retourne.freed_players WHERE writer = number;
    UPDATE retourne.state SET
        files = CASE WHEN 'files' = ANY (told) THEN NEW.snapshot_id ELSE files END,
        changes = CASE WHEN 'changes' = ANY (told) THEN NEW.snapshot_id ELSE changes END,
        reckoned = CASE WHEN 'reckoned' = ANY (told) THEN NEW.snapshot_id ELSE reckoned END
        WHERE cardinality(told) > 2;
    RETURN NEW;
END $$;
