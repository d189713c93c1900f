// Follows a link without loading the page anew, as the way back is: Streamlit goes where the address
// says when it learns of that. With a key held, or the middle button, the browser opens it as it does
// any other. Stands before the script of a component with links.

function follow(event) {
  const link = event.target.closest("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  dispatchEvent(new PopStateEvent("popstate"));
}

