import { el, fill } from "./dom.js";

const COPIED_SHOWN_MS = 1_200;

/** Code on a dark ground, with a button that copies it. */
export function codePanel(head, read) {
  const code = el("code", {});
  const pre = el("pre", { tabindex: "0" }, code);
  const copy = el("button", { class: "copy", type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(read());
    fill(copy, "Copied");
    setTimeout(() => fill(copy, "Copy"), COPIED_SHOWN_MS);
  });
  const show = () => fill(code, ...highlighted(read()));
  show();
  const element = el(
    "div",
    { class: "panel" },
    el("div", { class: "panel-head" }, head, copy),
    pre,
  );
  return { element, show };
}

/** Tabs of which one is chosen. */
export function tabs(names, onChoose) {
  const buttons = names.map((name, index) =>
    el(
      "button",
      {
        class: "tab",
        type: "button",
        role: "tab",
        "aria-selected": String(index === 0),
        onClick: () => {
          for (const [at, button] of buttons.entries()) {
            button.setAttribute("aria-selected", String(at === index));
          }
          onChoose(name);
        },
      },
      name,
    ),
  );
  return el("div", { role: "tablist" }, ...buttons);
}

const TOKENS =
  /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(-?\d+(?:\.\d+)?)\b|\b(true|false|null|const|await|new|import|from|for|of|curl)\b/g;

/** Colours for strings, names, numbers and words; everything stays text. */
export function highlighted(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, string, colon, number] = match;
    parts.push(text.slice(end, match.index));
    if (string !== undefined) {
      const kind = colon === undefined ? "tok-string" : "tok-key";
      parts.push(el("span", { class: kind }, string), colon ?? "");
    } else {
      parts.push(el("span", { class: number === undefined ? "tok-word" : "tok-number" }, whole));
    }
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}
