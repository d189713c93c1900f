"""The page Add matches after an upload: its numbers match the store, also after undo."""

from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import FAUTES, Open, lines


def upload(app: AppTest, **files: bytes) -> AppTest:
    for name, content in files.items():
        app.file_uploader[0].upload(name.replace("_", "."), content)
    app.button[0].click().run()
    assert not app.exception
    return app


def numbers(app: AppTest) -> list[tuple[str, str]]:
    return [(one.value, one.delta) for one in app.metric]


def press(app: AppTest, label: str) -> None:
    next(one for one in app.button if one.label == label).click().run()
    assert not app.exception


def test_an_upload_that_is_undone_has_added_nothing_until_it_is_back(open_page: Open) -> None:
    fault = (FAUTES / "must-follow.json").read_bytes()
    app = upload(open_page("deposer", lang="en"), club_jsonl=lines(), b_json=fault)
    before = numbers(app)
    assert [value for value, _ in before] == ["6", "0", "1", "0"]
    press(app, "Undo this upload")
    assert numbers(app) == [
        ("0", "undone with the upload: 6"),
        ("0", ""),
        ("0", "undone with the upload: 1"),
        ("0", ""),
    ]
    press(app, "Restore these matches: 7")
    assert numbers(app) == before


def test_repeated_matches_are_counted_apart_from_stored_ones(open_page: Open) -> None:
    six = lines().splitlines(keepends=True)
    app = upload(open_page("deposer", lang="en"), a_jsonl=six[0] + six[1])
    upload(app, b_jsonl=lines() + six[5], c_jsonl=six[0], d_json=b"")
    assert numbers(app) == [
        ("4", ""),
        ("4", "of these, twice in these files: 2"),
        ("0", ""),
        ("1", "files or texts, not matches"),
    ]
    labels = [one.label for one in app.expander]
    assert labels[1:3] == ["Already there: 2", "Twice in these files: 1"]
