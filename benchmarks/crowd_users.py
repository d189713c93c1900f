"""Who comes in `benchmarks.crowd`, as locust has them: readers, and players who send their games.

What they may read and send lies in the folder that CROWD names; there they write down what became
of it.
"""

import json
import os
import random
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from locust import FastHttpUser, between, events, task
from locust.env import Environment

FOLDER = Path(os.environ["CROWD"])
TOKEN = os.environ["RETOURNE_TOKEN"]
READ = json.loads((FOLDER / "read.json").read_text())
PLAYERS = [quote(one) for one in READ["players"]]
SENT = (FOLDER / "sent.jsonl").read_text().split("\n")
TAKEN = (FOLDER / "taken.jsonl").open("a")
LOT = random.Random(1)
_next = count()


class Reader(FastHttpUser):
    """Somebody who looks at a game, then at another thing, some seconds each."""

    fixed_count = int(os.environ["CROWD_READERS"])
    wait_time = between(5, 15)

    def see(self, path: str, name: str) -> None:
        self.client.get(path, name=f"read {name}")

    @task(10)
    def replay(self) -> None:
        match = LOT.choice(READ["matches"])
        if READ["replay"]:
            self.see(f"/r/{match}", "/r/{id}")
        else:
            self.see(f"/api/v1/matches/{match}", "/matches/{id}")

    @task(3)
    def deal(self) -> None:
        at = f"/api/v1/matches/{LOT.choice(READ['matches'])}/deals/1"
        self.see(at, "/matches/{id}/deals/{n}")

    @task(2)
    def match(self) -> None:
        self.see(f"/api/v1/matches/{LOT.choice(READ['matches'])}", "/matches/{id}")

    @task(2)
    def listed(self) -> None:
        self.see(f"/api/v1/matches?player={LOT.choice(PLAYERS)}", "/matches")

    @task(1)
    def ladder(self) -> None:
        self.see(f"/api/v1/ladder?game={READ['game']}", "/ladder")

    @task(1)
    def player(self) -> None:
        self.see(f"/api/v1/players/{LOT.choice(PLAYERS)}", "/players/{id}")


class Player(FastHttpUser):
    """Somebody whose game has ended, again and again, each time another one."""

    fixed_count = int(os.environ["CROWD_PLAYERS"])
    wait_time = between(5, 15)

    @task
    def send(self) -> None:
        number = next(_next)
        if number >= len(SENT):
            raise RuntimeError("there are too few games to send")
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
        how: dict[str, Any] = {"headers": headers, "catch_response": True}
        with self.client.post("/api/v1/logs", SENT[number], name="send", **how) as answer:
            told = {"number": number, "status": answer.status_code}
            if answer.status_code in (200, 201, 422):  # what is no log is kept, and refused
                report = json.loads(answer.text or "")
                found = report.get("report", report)["files"][0]["matches"]
                told["matches"] = [[one["id"], one["status"], one["new"]] for one in found]
                answer.success()
            TAKEN.write(json.dumps(told) + "\n")


@events.test_stop.add_listener
def _done(environment: Environment, **_: Any) -> None:
    """Write down how long everything took."""
    TAKEN.flush()
    told = {}
    for (name, _method), one in environment.stats.entries.items():
        told[name] = {
            "count": one.num_requests,
            "failures": one.num_failures,
            "times": {str(time): times for time, times in one.response_times.items()},
        }
    errors = [
        f"{one.occurrences} × {one.name}: {one.error}" for one in environment.stats.errors.values()
    ]
    (FOLDER / "told.json").write_text(json.dumps({"asked": told, "errors": errors}))
