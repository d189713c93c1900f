"""What docs/api.md and docs/emit.md show is done as it stands, by each language, against a server."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doc_examples import NODE, ROOT, VARIES, Block, blocks, matches
from tests.js.package import install

pytestmark = pytest.mark.slow

SHOWN = "http://localhost:8501"
BLOCKS = [one for one in blocks(ROOT / "docs" / "api.md") if one.language != "json"]
"""What is JSON there is held by tests/ingest/test_webhooks.py."""
RUN = {
    "sh": ["bash", "-euo", "pipefail", "-c"],
    "python": [sys.executable, "-c"],
    "js": [NODE, "--input-type=module", "-e"],
}


def done(block: Block, there: str, token: str, here: Path) -> str:
    """What a block writes."""
    retourne = ROOT / ".venv" / "bin"
    path = f"{retourne}{os.pathsep}{os.environ['PATH']}"
    settings = {"RETOURNE_TOKEN": token, "PATH": path, "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    text = block.text.replace(SHOWN, there).replace("curl ", "curl --silent --show-error ")
    ran = subprocess.run(
        [*RUN[block.language], text], cwd=here, env={**os.environ, **settings}, capture_output=True, text=True
    )
    assert ran.returncode == 0, f"{block}\n{ran.stderr}{ran.stdout}"
    return ran.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_block_is_done(there: str, api_tokens: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(ROOT / "data")
    written = [
        done(block, there, api_tokens["admin" if "/commands/" in block.text else "contributor"], tmp_path)
        for block in BLOCKS
    ]
    for block, result in zip(BLOCKS, written, strict=True):
        refused = '"status":4' in result
        assert refused == ("/matches/none" in block.text), f"{block}\n{result}"
        assert result or "--output" in block.text, block
    assert {block.language for block in BLOCKS} == set(RUN)
    assert (tmp_path / "deals.parquet").read_bytes()[:4] == b"PAR1"


def test_a_match_recorded_in_each_language_is_sent_and_replayed(
    there: str, api_tokens: dict[str, str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    install(tmp_path_factory, tmp_path)
    sent = set()
    for block in blocks(ROOT / "docs" / "emit.md"):
        if block.language in RUN:
            written = done(block, there, api_tokens["contributor"], tmp_path)
            wording = re.findall(r"(?:print\(.*\)  #|console\.log\(.*\); //) (.+)", block.text)
            assert matches("\n".join((*wording, VARIES)), written), f"{block}\n{written}"
            sent |= {block.language} if SHOWN in block.text else set()
    assert sent == {"python", "js"}
