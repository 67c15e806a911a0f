import { el, fill } from "./dom.js";
import { tokensOf } from "./highlight.js";

const COPIED_SHOWN_MS = 1_200;

/** Code on a dark ground, with a button that copies it. `read` returns the code and its language. */
export function codePanel(head, read) {
  const code = el("code", {});
  const pre = el("pre", { tabindex: "0" }, code);
  const copy = el("button", { class: "copy", type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(read().code);
    fill(copy, "Copied");
    setTimeout(() => fill(copy, "Copy"), COPIED_SHOWN_MS);
  });
  const show = () => {
    const { code: text, language } = read();
    fill(code, ...highlighted(text, language));
  };
  show();
  const element = el(
    "div",
    { class: "panel" },
    el("div", { class: "panel-head" }, head, copy),
    pre,
  );
  return { element, show };
}

/** A list to choose from; `names` are what the reader sees. */
export function choice(label, names, chosen, onChoose) {
  const options = names.map((name, index) =>
    el("option", { value: index, selected: index === chosen }, name),
  );
  const onChange = () => onChoose(Number(select.value));
  const select = el("select", { "aria-label": label, onChange }, ...options);
  return select;
}

/** Code with its colours; everything stays text. */
export function highlighted(text, language) {
  return tokensOf(text, language).map(([kind, part]) =>
    kind === "" ? part : el("span", { class: `tok-${kind}` }, part),
  );
}
