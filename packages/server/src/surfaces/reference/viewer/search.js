import { el } from "./dom.js";

const FOUND_MAX = 20;
const TITLES = {
  guide: "In the guides",
  page: "In the handbook",
  call: "Calls",
  event: "Events",
  error: "Errors",
  code: "Registration codes",
};
let loading = null;

/** The index is made when the documentation is built, and fetched when somebody first types. */
function loadIndex() {
  loading ??= fetch("/docs/search.json").then(
    (response) => (response.ok ? response.json() : []),
    () => [],
  );
  return loading;
}

/** Looks for what is typed, and shows what is found unless something else was typed meanwhile. */
export function createSearch(kinds) {
  let latest = "";
  return async (typed, show) => {
    latest = typed;
    show([]);
    if (typed.trim() === "") return;
    const index = await loadIndex();
    if (latest === typed) show(groupsOf(find(index, typed, kinds)));
  };
}

/** The best entries that have every word: in a title before in a heading before in the text. */
export function find(index, typed, kinds) {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = index
    .filter(([kind]) => kinds.includes(kind))
    .map((entry) => ({ entry, score: scoreOf(entry, wanted) }))
    .filter(({ score }) => score > 0);
  scored.sort((a, b) => b.score - a.score);
  return scored.slice(0, FOUND_MAX).map(({ entry }) => entry);
}

function scoreOf([, title, heading, , words], wanted) {
  const [inTitle, inHeading, inText] = [title.toLowerCase(), heading.toLowerCase(), ` ${words}`];
  let score = 0;
  for (const word of wanted) {
    const own =
      (inTitle.includes(word) ? 4 : 0) +
      (inHeading.includes(word) ? 3 : 0) +
      (inText.includes(` ${word}`) ? 1 : 0);
    if (own === 0) return 0;
    score += own;
  }
  return score;
}

export function groupsOf(found) {
  return Object.keys(TITLES).flatMap((kind) => {
    const own = found.filter(([one]) => one === kind);
    if (own.length === 0) return [];
    const links = own.map(([, title, heading, address]) =>
      el(
        "a",
        { class: "nav-link", href: address },
        el("span", {}, heading === "" ? title : `${title}: ${heading}`),
      ),
    );
    return [
      el("div", { class: "nav-group" }, el("span", { class: "nav-title" }, TITLES[kind]), ...links),
    ];
  });
}
