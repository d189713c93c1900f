"""Static files are sent compressed and cached by browsers for good; other paths are passed on."""

import gzip
import re
from collections.abc import Callable
from importlib.resources import files

import anyio
import httpx
import pytest
import zstandard
from starlette.responses import PlainTextResponse

from dashboard.compat import STREAMLIT_STATIC
from dashboard.web.static_assets import AssetMiddleware
from dashboard.widgets.chart import PLOTLY_FILE

SCRIPT = next((STREAMLIT_STATIC / "static/js").glob("index.*.js"))
FONT = next((STREAMLIT_STATIC / "static/media").glob("*.woff2"))
UNPACK: dict[str | None, Callable[[bytes], bytes]] = {
    "zstd": zstandard.decompress,
    "gzip": gzip.decompress,
    None: bytes,
}


def ask(address: str, method: str = "GET", accepted: str = "") -> httpx.Response:
    """An answer of the middleware, before an application that answers 418; the body as it is sent."""

    async def send() -> httpx.Response:
        app = AssetMiddleware(PlainTextResponse("teapot", 418))
        client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
        request = client.build_request(method, address, headers={"Accept-Encoding": accepted})
        answer = await client.send(request, stream=True)
        answer.extensions["raw"] = b"".join([part async for part in answer.aiter_raw()])
        return answer

    return anyio.run(send)


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate", "gzip"),
        ("zstd;q=0, gzip", "gzip"),
        ("br", None),
        ("identity", None),
    ],
)
def test_a_script_comes_in_the_best_coding_that_is_accepted(accepted: str, coding: str | None) -> None:
    answer = ask(f"/static/js/{SCRIPT.name}", accepted=accepted)
    assert answer.headers.get("content-encoding") == coding
    assert UNPACK[coding](answer.extensions["raw"]) == SCRIPT.read_bytes()
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_font_is_sent_as_it_is() -> None:
    answer = ask(f"/static/media/{FONT.name}", accepted="gzip, zstd")
    assert "content-encoding" not in answer.headers
    assert answer.extensions["raw"] == FONT.read_bytes()


@pytest.mark.parametrize(
    "address", ["/", "/static/js/none.js", "/static/", "/static/../index.html", "/static/js/../../index.html"]
)
def test_what_is_no_file_of_streamlit_goes_on(address: str) -> None:
    assert ask(address).status_code == 418


def test_a_script_is_not_written_to() -> None:
    assert ask(f"/static/js/{SCRIPT.name}", "POST").status_code == 418


def test_plotly_is_sent_compressed_and_cached_for_ever() -> None:
    answer = ask(f"/static/plotly/{PLOTLY_FILE.name}", accepted="zstd")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert UNPACK["zstd"](answer.extensions["raw"]) == PLOTLY_FILE.read_bytes()


def test_the_build_of_plotly_is_of_the_version_that_python_s_package_has() -> None:
    whole = files("plotly").joinpath("package_data/plotly.min.js")
    with whole.open(encoding="utf-8") as text:
        found = re.search(r"plotly\.js v([\d.]+)", text.read(200))
    assert found is not None
    assert PLOTLY_FILE.name == f"plotly-basic-{found[1]}.min.js"
