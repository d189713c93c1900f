"""Delivers webhooks, with signatures and retries: notifies programs of new matches.

`retourne webhook add URL` adds one.
"""

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, time

import duckdb
from anyio import to_thread

from dashboard.server.background import STOP_TIMEOUT_SECONDS, BackgroundWorker
from dashboard.tables import saved_searches
from dashboard.tables.find_result import MAX_DEALS, run_search
from ingest.operations import OperationRefused
from ingest.operations.access import resolve_public_address
from ingest.store import webhooks
from ingest.store.factory import Store, StoreError
from ingest.store.webhooks import Webhook

FILES_PER_ROUND = 100
"""Files to notify of before the progress is recorded."""
RETRY_SECONDS = (2.0, 10.0, 60.0, 600.0, 3600.0)
"""Seconds until a failed webhook is retried, by failures in a row; the last one repeats."""
MAX_DELIVERIES = 64
"""Webhooks that are notified at a time."""
SIGNATURE_HEADER = "Retourne-Signature"


class WebhookDelivery(BackgroundWorker):
    """Notifies programs of new matches; an event contains no names."""

    def __init__(self, get_store: Callable[[], Store]) -> None:
        super().__init__(get_store, self.deliver_all)
        self._failures: dict[int, tuple[int, float]] = {}
        """Webhook number → its failures in a row, and the time of the next try."""
        self._threads_by_webhook: dict[int, threading.Thread] = {}
        """Webhook number → its thread."""

    def stop(self) -> None:
        """Stop, and wait for running notifications up to a time limit."""
        end = monotonic() + STOP_TIMEOUT_SECONDS
        super().stop()
        for work in self._threads_by_webhook.values():
            work.join(max(0.0, end - monotonic()))

    def deliver_all(self) -> None:
        """Notify every webhook in its own thread, so that a slow one delays no other."""

        def work(webhook: Webhook) -> None:
            with suppress(StoreError, duckdb.Error):
                self.deliver(webhook)

        self._threads_by_webhook = {
            no: work for no, work in self._threads_by_webhook.items() if work.is_alive()
        }
        for one in webhooks.webhooks(self._get_store().cursor()):
            if one.number not in self._threads_by_webhook and len(self._threads_by_webhook) < MAX_DELIVERIES:
                thread = threading.Thread(target=work, args=(one,), daemon=True, name="webhook")
                self._threads_by_webhook[one.number] = thread
                thread.start()

    def deliver(self, webhook: Webhook) -> None:
        """Notify a webhook of new files, unless it waits after a failure."""
        failed, when = self._failures.get(webhook.number, (0, 0.0))
        if monotonic() < when:
            return
        items = list[int]()
        try:
            for file_no, matches in webhooks.undelivered(self._get_store(), webhook, FILES_PER_ROUND):
                event = self._event(webhook, file_no, matches)
                if event is not None:
                    # a total time limit: a thread could not be stopped while a response never ends
                    asyncio.run(post_signed(webhook, event))
                items.append(file_no)
                if self._stopping.is_set():
                    break
            self._failures.pop(webhook.number, None)
        except Exception as error:  # keep the thread running after any network error
            if isinstance(error, StoreError | duckdb.Error):
                raise
            wait = RETRY_SECONDS[min(failed, len(RETRY_SECONDS) - 1)]
            self._failures[webhook.number] = failed + 1, monotonic() + wait
        if (
            items or webhooks.last_file_number(self._get_store().cursor()) < webhook.delivered
        ):  # an older backup was restored
            webhooks.mark_delivered(self._get_store(), webhook.number, items)

    def _event(
        self, webhook: Webhook, file_no: int, matches: list[dict[str, object]]
    ) -> dict[str, object] | None:
        """Return the event of a file; None: there is nothing to notify of."""
        if webhook.search is None:
            return {"event": "matches.added", "file_no": file_no, "matches": matches} if matches else None
        cursor = self._get_store().cursor()
        try:
            saved = saved_searches.read_saved_search(cursor, webhook.search)
            found = run_search(cursor, saved.search or "", MAX_DEALS, count=False, file_no=file_no).deals
        except OperationRefused:  # the search was removed, or names a masked player
            return None
        deals = found.select("match_id", "deal_number", "action_number", "game").to_dicts()
        named: dict[str, object] = {"event": "deals.found", "file_no": file_no, "search": webhook.search}
        return {**named, "deals": deals} if deals else None


async def post_signed(webhook: Webhook, payload: dict[str, object]) -> None:
    """POST a signed body. PrivateAddressError, httpx.HTTPError, TimeoutError: not accepted."""
    import httpx  # imported late: most servers have no webhook

    url = httpx.URL(webhook.url)
    port = url.port or (443 if url.scheme == "https" else 80)
    body, now = json.dumps(payload).encode(), str(int(time()))
    # both sides compute HMAC-SHA256 of the time, a dot and the body
    signed = hmac.new(webhook.secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Host": url.netloc.decode(), "Content-Type": "application/json"}
    headers[SIGNATURE_HEADER] = f"t={now},v1={signed}"
    async with (
        asyncio.timeout(STOP_TIMEOUT_SECONDS),
        httpx.AsyncClient(timeout=STOP_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client,
    ):
        place = await to_thread.run_sync(
            resolve_public_address, url.host, port, webhook.private, abandon_on_cancel=True
        )
        # connect to the checked address: the name could resolve to a private one by now
        at, named = url.copy_with(host=place), {"sni_hostname": url.host}
        async with client.stream("POST", at, content=body, headers=headers, extensions=named) as got:
            if not got.is_success:
                raise httpx.HTTPError(f"{got.status_code}")
