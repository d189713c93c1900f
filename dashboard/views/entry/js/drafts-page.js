// The list of this browser's drafts on a page without Streamlit.

const pageData = JSON.parse(document.getElementById("replay").textContent);
showDrafts({ data: pageData, parentElement: document.querySelector("main") });
storeOffline(pageData.root, [location.href]);
