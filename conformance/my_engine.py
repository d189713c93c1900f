"""Answers `retourne conform` by Retourne itself; put your own engine in its place."""

import json
import sys

from ingest import Recorder, check_text

for line in sys.stdin:
    request = json.loads(line)
    if request["ask"] == "legal":
        answer = {"legal": Recorder.of(request["log"]).state.legal}
    else:
        found = check_text(json.dumps(request["log"])).findings
        answer = {"findings": [{"path": one.path, "code": one.code} for one in found]}
    print(json.dumps(answer), flush=True)
