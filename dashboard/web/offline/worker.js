// Opens shared replays and drafts without the server, as it last sent them. It leaves all other requests alone.

const PAGES = "retourne-pages", FILES = "retourne-files";
const MOST = { [PAGES]: 200, [FILES]: 600 }; // entries, after which the oldest are removed
const ROOT = new URL(self.registration.scope).pathname;
const REMOVED = [401, 403, 404, 410];
const OFF = [502, 504]; // what a proxy answers while the server is off
const FILE = /(?:src|href)="([^"]*\/r\/-\/[^"]+)"/g;
const AS_STORED = { ignoreVary: true };

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("message", (event) => event.waitUntil(Promise.allSettled(event.data.map(store))));
self.addEventListener("fetch", (event) => {
  const { request } = event, place = request.method === "GET" ? placeOf(request.url) : null;
  if (place) event.respondWith(place.cache === FILES ? file(request.url, place) : page(event, place));
});

// Where the answer to an address is stored; null: nowhere. A replay is one entry, whatever its position.
function placeOf(address) {
  const { origin, pathname, searchParams, search } = new URL(address);
  if (origin !== location.origin || !pathname.startsWith(ROOT)) return null;
  const path = pathname.slice(ROOT.length), draft = searchParams.get("draft");
  if (path.startsWith("r/-/")) return { cache: FILES, key: pathname };
  if (/^r\/[^/]+\/\d+\.json$/.test(path)) return { cache: PAGES, key: pathname + search };
  const [, match] = /^r\/([^/]+)(?:\/\d+){0,2}\/?$/.exec(path) ?? [];
  if (match && match !== "trouver" && !searchParams.has("embed")) return { cache: PAGES, key: `${ROOT}r/${match}` };
  // the page without Streamlit stands in for the one with it
  if (path !== "entry" && path !== "saisir") return null;
  const list = `${ROOT}entry`, key = draft ? `${list}?draft=${encodeURIComponent(draft)}` : list;
  return { cache: PAGES, key, list, isDraft: true, isOther: path === "saisir" };
}

async function stored({ key, list }) {
  return (await caches.match(key, AS_STORED)) ?? (list && (await caches.match(list, AS_STORED)));
}

async function page(event, place) {
  let answer;
  try {
    answer = await fetch(event.request);
  } catch {
    return (await stored(place)) ?? Response.error();
  }
  if (OFF.includes(answer.status)) return (await stored(place)) ?? answer;
  event.waitUntil(take(place, answer.clone()));
  return answer;
}

async function file(address, place) {
  const found = await caches.match(place.key, AS_STORED);
  if (found) return found;
  const answer = await fetch(address);
  if (answer.ok) await put(place, answer.clone());
  return answer;
}

// Store an answer if everybody may read it; a draft is only of who has its address.
async function take(place, answer) {
  if (place.isOther) return;
  const isRestricted = /private|no-store/.test(answer.headers.get("Cache-Control") ?? "");
  if (REMOVED.includes(answer.status) || (isRestricted && !place.isDraft)) await (await caches.open(place.cache)).delete(place.key, AS_STORED);
  else if (answer.ok && !answer.redirected) await put(place, answer);
}

async function put({ cache: name, key }, answer) {
  const cache = await caches.open(name);
  await cache.delete(key, AS_STORED); // the newest comes last
  await cache.put(key, answer);
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, -MOST[name]).map((one) => cache.delete(one, AS_STORED)));
}

// Store what an open page names: itself as the server sends it now, and its files.
async function store(address) {
  const place = placeOf(address);
  if (!place) return;
  if (place.cache === FILES) return file(address, place);
  const answer = await fetch(address), text = answer.clone();
  await take(place, answer);
  const files = [...(await text.text()).matchAll(FILE)].map(([, path]) => new URL(path, location.href).href);
  await Promise.allSettled(files.map(store));
}
