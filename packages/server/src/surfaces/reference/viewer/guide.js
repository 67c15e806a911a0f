import { wireControls } from "./controls.js";
import { el, fill } from "./dom.js";
import { createSearch } from "./search.js";

const COPIED_SHOWN_MS = 1_200;
const EVERYTHING = ["guide", "page", "call", "event", "error", "code"];

/** Puts a button that copies over every block of code. */
function addCopyButtons() {
  for (const pre of document.querySelectorAll("main pre")) {
    const code = pre.textContent;
    const copy = el("button", { class: "copy", type: "button" }, "Copy");
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code);
      fill(copy, "Copied");
      setTimeout(() => fill(copy, "Copy"), COPIED_SHOWN_MS);
    });
    const frame = el("div", { class: "code" }, copy);
    pre.replaceWith(frame);
    frame.append(pre);
  }
}

/** The guides name the address of a first start; a reader of this page calls this server. */
const DEFAULT_ORIGIN = "http://127.0.0.1:7670";

function showOwnOrigin() {
  if (location.origin === DEFAULT_ORIGIN) return;
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    node.data = node.data.replaceAll(DEFAULT_ORIGIN, location.origin);
  }
}

/** While something is typed, what was found stands in the place of the list of pages. */
function wireSearch() {
  const nav = document.getElementById("nav");
  const input = document.getElementById("search");
  const pages = [...nav.children];
  const search = createSearch(EVERYTHING);
  input.addEventListener("input", () => {
    void search(input.value, (found) => {
      const none = el("p", { class: "nav-none" }, "Nothing matches.");
      if (input.value.trim() === "") fill(nav, ...pages);
      else fill(nav, ...(found.length > 0 ? found : [none]));
    });
  });
}

wireControls();
wireSearch();
showOwnOrigin();
addCopyButtons();
