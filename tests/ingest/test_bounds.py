"""What is compiled reads and writes nothing beyond its arrays, whatever stands in a log.

Compiled code asks of no place whether it is there: a mistake would read, or spoil, what lies beside.
So spoilt logs are judged and stored by the same code compiled with that question in it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.reader.files import MatchText
from ingest.validate.batch import run_fast_path
from ingest.validate.slow_path import validate
from tests.ingest.logs import documents

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
from io import BytesIO
from itertools import chain

from ingest.store.ingest_files import ingest
from ingest.store.factory import Store
from ingest.store.revalidate import revalidate_matches
from ingest.store.solve_job import solve_missing
from tests.dashboard.conftest import every_table
from tests.ingest.logs import lines
from tests.ingest.test_validator_mutations import spoilt_logs

spoilt = chain.from_iterable(spoilt_logs(batch, 500) for batch in map(int, sys.argv[2:]))
files = {"clean": lines() + every_table(), "spoilt": b"\\n".join(text for _, text, _ in spoilt)}
with Store(sys.argv[1]) as store:
    for name, data in files.items():
        (report,) = ingest(store, [(f"{name}.jsonl", BytesIO(data))])
        print(name, report.added)
    list(revalidate_matches(store, True))
    list(solve_missing(store))
"""


@pytest.mark.timeout(900)
@pytest.mark.soak
def test_no_log_has_compiled_code_leave_its_arrays(tmp_path: Path) -> None:
    fields = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "compiled")}
    # the last id of 6515 is a sign alone
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "store.duckdb"), "1", "6515"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | fields, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["clean", "spoilt"]


def test_an_id_that_is_a_sign_alone_spoils_no_other() -> None:
    logs = [documents()[0] | {"id": f"of a match like {number}"} for number in range(12)]
    texts = [json.dumps(log).encode() for log in logs]
    texts.append(json.dumps(documents()[0] | {"id": 7}).encode())
    content_ids, [group] = run_fast_path([MatchText(1, text) for text in texts])
    assert content_ids == [validate(text).content_id for text in texts]
    assert group.places[group.valid_indices].tolist() == [*range(12)]
    named = group.decoded.match_columns.log_id.to_pylist()
    assert named[:12] == [log["id"] for log in logs]
