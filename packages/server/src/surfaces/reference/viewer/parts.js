import { el, fill } from "./dom.js";
import { blocks, inline } from "./markdown.js";
import { codePanel } from "./panel.js";
import { json } from "./request.js";

/** Files of the same API for other tools. */
// biome-ignore format: one file per line, read as a table
const FILES = [
  { text: "OpenAPI 3.1 document", href: "/v1/openapi.json", name: "longwave.openapi.json" },
  { text: "Postman collection",   href: "/docs/collections/longwave.postman_collection.json", name: "longwave.postman_collection.json" },
  { text: "Bruno collection",     href: "/docs/collections/longwave.bruno.json", name: "longwave.bruno.json" },
  { text: "llms.txt",             href: "/llms.txt" },
];

/** The introduction, from the document's own description, and what else there is to download. */
export function introduction(openapi) {
  return el(
    "section",
    { class: "part", id: "introduction" },
    el("h1", {}, openapi.info.title),
    el("div", { class: "part-text" }, ...blocks(openapi.info.description)),
    el(
      "ul",
      { class: "downloads", "aria-label": "Guides and files" },
      el("li", {}, el("a", { href: "/docs/guides" }, "Guides")),
      ...FILES.map(({ text, href, name }) => el("li", {}, el("a", { href, download: name }, text))),
    ),
  );
}

/** Inputs for the reader's keys, so that every sample works as pasted. */
export function authentication(openapi, settings) {
  const field = (name, title, placeholder, hint) => {
    const input = el("input", {
      type: "password",
      placeholder,
      value: settings.where()[name],
      autocomplete: "off",
      spellcheck: "false",
      onInput: () => settings.set(name, input.value.trim()),
    });
    return el("label", {}, title, input, el("small", {}, hint));
  };
  return el(
    "section",
    { class: "part", id: "authentication" },
    el("h2", {}, "Authentication"),
    el(
      "p",
      { class: "lead" },
      "Send your key with every request as a bearer token. What you enter here fills the samples below; it stays in this tab and is sent only to this server, when you press Send.",
    ),
    el(
      "div",
      { class: "keys" },
      field(
        "apiKey",
        "API key",
        "svc_sk_test_…",
        openapi.components.securitySchemes.apiKey.description,
      ),
      field(
        "operatorToken",
        "Operator token",
        "",
        openapi.components.securitySchemes.operatorToken.description,
      ),
    ),
  );
}

export function groupHead(tag, id) {
  return el(
    "section",
    { class: "part", id },
    el("h2", {}, tag.name),
    el("p", { class: "lead" }, ...inline(tag.description)),
  );
}

/** An event as the reader's endpoint receives it; `complete` makes all but the heading. */
export function webhookSection(type, webhook, view) {
  const id = webhook.post.operationId;
  const words = el("div", {}, el("h3", {}, el("a", { href: `#${id}` }, type)));
  const element = el("section", { class: "operation waiting", id }, words);
  const complete = () => {
    element.setAttribute("class", "operation");
    const media = webhook.post.requestBody.content["application/json"];
    const read = () => ({ code: json(media.examples.example.value), language: "json" });
    const data = view.resolve(media.schema).properties.data;
    words.append(
      ...blocks(webhook.post.description),
      el("h4", {}, "Fields of data"),
      view.fieldList(data),
    );
    const label = el("span", { class: "panel-label" }, "Event");
    element.append(el("div", { class: "samples" }, codePanel(label, read).element));
  };
  return { element, complete };
}

/** Every error code with what happened and how to fix it. */
export function errorPart(pages) {
  const items = Object.entries(pages).map(([code, page]) => {
    const body = el("div", { class: "error-body" });
    const item = el(
      "details",
      { class: "error-item", id: `error-${code}` },
      el(
        "summary",
        { class: "error-title" },
        el("span", { class: "status" }, String(page.status)),
        el("code", {}, code),
        el("span", {}, page.title),
      ),
      body,
    );
    item.addEventListener("toggle", () => {
      const link = el("p", {}, el("a", { href: `/docs/errors/${code}` }, "The page of this error"));
      fill(body, ...blocks(page.body), link);
    });
    return item;
  });
  return el(
    "section",
    { class: "part", id: "errors" },
    el("h2", {}, "Errors"),
    el(
      "p",
      { class: "lead" },
      "Every error has the same shape. Branch on code, show message, quote request_id.",
    ),
    el("div", { class: "error-list" }, ...items),
  );
}
