// llms.txt: the list of documents for programs that read before they write code. Every page is also served as
// Markdown, under its address with .md.

/** Chapters of the index that show how to do something. */
const GUIDES = ["Learn", "Build", "Go live"];

export function llmsText(pages, openapi) {
  const line = ({ name, title, lead }) => `- [${title}](/docs/${name}.md): ${lead}`;
  const guides = pages.filter(({ chapter }) => GUIDES.includes(chapter));
  const others = pages.filter(
    ({ name, chapter }) => !guides.some((guide) => guide.name === name) && chapter !== null,
  );
  const calls = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `- \`${method.toUpperCase()} ${path}\`: ${operation.summary}`,
    ),
  );
  return [
    "# Longwave",
    "> Texts, verification codes and phone numbers over one JSON API, on a server of your own. A test key (svc_sk_test_…) simulates everything and costs nothing.",
    'Send `Authorization: Bearer KEY`. Errors are `{"error": {"code", "message", "param", "request_id"}}`. Lists answer `{data, has_more, next_cursor}`. Every POST takes an `Idempotency-Key`.',
    "## Guides",
    guides.map(line).join("\n"),
    "## Reference",
    [
      "- [OpenAPI 3.1 document](/v1/openapi.json): every call with its schemas and examples",
      "- [Everything in one file](/llms-full.txt): the guides and reference pages as Markdown",
      ...others.map(line),
    ].join("\n"),
    "## Calls",
    calls.join("\n"),
    "",
  ].join("\n\n");
}

export function llmsFullText(pages) {
  return pages
    .filter(({ name }) => !name.startsWith("registration-codes/"))
    .map(({ markdown }) => markdown.trim())
    .join("\n\n---\n\n");
}
