// Search index of /docs: sections of pages, calls and events, each with its words.

const WORD = /[a-z0-9_.+-]{2,40}/g;

/** Entries are [kind, title, heading, address, words]; equal matches are shown in this order. */
export function searchIndex(pages, openapi) {
  const sections = pages.flatMap((page) =>
    page.sections.map(({ heading, anchor, text }) => {
      const address = `/docs/${page.name}${anchor ? `#${anchor}` : ""}`;
      return [kindOf(page), page.title, heading, address, wordsOf(text)];
    }),
  );
  const calls = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      "call",
      operation.summary,
      `${method.toUpperCase()} ${path}`,
      `/docs#${operation.operationId}`,
      wordsOf(`${operation["x-sdk-method"]} ${operation.description ?? ""}`),
    ]),
  );
  const events = Object.entries(openapi.webhooks).map(([type, { post }]) => [
    "event",
    type,
    "",
    `/docs#${post.operationId}`,
    wordsOf(post.description ?? ""),
  ]);
  return [...sections, ...calls, ...events];
}

function kindOf({ name, chapter }) {
  if (name.startsWith("errors/")) return "error";
  if (name.startsWith("registration-codes/")) return "code";
  return name.startsWith("guides") || chapter === "Build" ? "guide" : "page";
}

/** Each word once, in alphabetical order. */
function wordsOf(text) {
  return [...new Set(text.toLowerCase().match(WORD) ?? [])]
    .sort((a, b) => (a < b ? -1 : 1))
    .join(" ");
}
