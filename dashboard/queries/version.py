"""What the store holds has a version; an answer stays right as long as it does."""

from ingest.store.store import Store


def version(opened: Store) -> tuple[int, int, int]:
    """(the newest file, the newest change, deals whose values were reckoned).

    It is another one when games come, go, or change their names. Files of a lake come in no order,
    from any number of programs: there its newest snapshot, whoever made it, stands for all files
    and values. StoreError: the store does not answer.
    """
    ask = opened.cursor()
    newest = "SELECT (SELECT coalesce(max(change), -1) FROM changes)"
    if not opened.in_a_file:
        files = opened.commits
        [(change,)] = ask.execute(newest).fetchall()
        return files, int(change), 0
    [(change, files, deals)] = ask.execute(
        f"{newest}, (SELECT coalesce(max(file_no), -1) FROM files),"
        " (SELECT count(*) FROM deal_values)"
    ).fetchall()
    return int(files), int(change), int(deals)
