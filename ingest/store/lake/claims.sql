-- Claims, by which each match and player of a lake is stored by one writer (tables of a lake have no keys),
-- and sequences, which number rows without waiting for other writers. A claim holds once its writer has
-- finished, which is recorded in the same transaction that makes the writer's rows visible.

CREATE SCHEMA retourne;

CREATE TABLE retourne.writers (
    writer bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    begun_at timestamptz NOT NULL DEFAULT now(),
    done boolean NOT NULL DEFAULT false,
    given_up boolean NOT NULL DEFAULT false  -- somebody has taken over: it can be done no more
);

-- Which writer stores a part of a file that others may be given too, should that one seem to have died.
CREATE TABLE retourne.parts (
    part text PRIMARY KEY,
    writer bigint NOT NULL
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

-- What a writer's transaction takes away: it holds once that is done, and is done when somebody asks.
CREATE TABLE retourne.freed_matches (writer bigint NOT NULL, match_id uuid NOT NULL);
CREATE TABLE retourne.freed_players (writer bigint NOT NULL, player_no integer NOT NULL);

CREATE SEQUENCE retourne.match_numbers MINVALUE 0 START 0;
CREATE SEQUENCE retourne.file_numbers MINVALUE 0 START 0;
CREATE SEQUENCE retourne.player_numbers AS integer MINVALUE 0 START 0;
CREATE SEQUENCE retourne.alias_numbers AS integer MINVALUE 0 START 0;

CREATE FUNCTION retourne.commit_of_a_writer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    commit_info text[] := string_to_array(NEW.commit_extra_info, ' ');
    number bigint;
BEGIN
    IF commit_info[1] IS DISTINCT FROM 'retourne' THEN
        RETURN NEW;
    END IF;
    number := commit_info[2]::bigint;
    UPDATE retourne.writers SET done = true WHERE writer = number AND NOT given_up;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'retourne: writer % was given up', number;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER commit_of_a_writer BEFORE INSERT ON public.ducklake_snapshot_changes
    FOR EACH ROW EXECUTE FUNCTION retourne.commit_of_a_writer();
