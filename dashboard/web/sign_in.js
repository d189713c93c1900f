// A link's token stands behind its #, which no server sees: it is handed over once, and is then
// in no address and in no history.
const secret = decodeURIComponent(location.hash.slice(1));
if (secret) {
  history.replaceState(null, "", location.pathname);
  const form = document.querySelector("form");
  form.elements.token.value = secret;
  form.submit();
}
