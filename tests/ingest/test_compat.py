"""What `ingest.compat` makes of libraries is still what they say."""

from ingest.compat import refusal
from tests.ingest.postgres import PLAIN, refusing


def test_the_code_of_a_refusal_is_in_what_libpq_traces() -> None:
    with refusing("28P01", "Passwort falsch") as port:
        told = refusal(f"{PLAIN} port={port} user=zoe password=geheim dbname=club")
    assert told == ("28P01", False, "127.0.0.1", str(port), "club")


def test_where_nobody_listens_there_is_none() -> None:
    assert refusal(f"{PLAIN} port=1 dbname=club").code == ""
