// Has the service worker store pages of this site, so that they open without the server.

async function storeOffline(root, addresses) {
  if (!navigator.serviceWorker) return; // browsers have it on https and on the server's own computer
  try {
    await navigator.serviceWorker.register(`${root}service-worker.js`, { scope: root });
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage(addresses.map((one) => new URL(one, location.href).href));
  } catch {
    // a browser that stores nothing: the page works while the server does
  }
}
