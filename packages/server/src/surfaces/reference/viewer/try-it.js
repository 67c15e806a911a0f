import { el, fill } from "./dom.js";
import { highlighted } from "./panel.js";
import { json, targetOf } from "./request.js";

/** Sends the request from the page, to the origin that serves the page and nowhere else. */
export function tryPanel(call, settings) {
  const path = inputs(call.parameters, "path", call.example.path);
  const query = inputs(call.parameters, "query", call.example.query);
  const given = call.takes ? (call.example.file ?? "") : json(call.example.body ?? {});
  const body =
    call.bodySchema || call.takes
      ? el("textarea", { "aria-label": "Body", spellcheck: "false" }, given)
      : null;
  const send = el("button", { class: "send", type: "submit" }, "Send");
  const note = el("p", { class: "try-note" });
  const output = el("div", {});
  const form = el(
    "form",
    { class: "try" },
    ...path.map((one) => one.label),
    ...query.map((one) => one.label),
    body ? el("label", {}, "body", body) : null,
    send,
    note,
  );
  const remind = () => fill(note, reminder(call, settings, note));
  settings.onChange(remind);
  remind();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    const values = { path: valuesOf(path), query: valuesOf(query) };
    fill(output, ...(await exchange(call, values, body?.value, settings)));
    send.disabled = false;
  });
  return el(
    "details",
    { class: "panel" },
    el("summary", { class: "panel-head panel-label" }, "Try it"),
    form,
    output,
  );
}

function inputs(parameters, place, example) {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, required }) => {
      const shown = required || example[name] !== undefined ? (example[name] ?? "") : "";
      const input = el("input", { value: shown, autocomplete: "off", spellcheck: "false" });
      return { name, input, label: el("label", {}, name, input) };
    });
}

function valuesOf(fields) {
  return Object.fromEntries(fields.map(({ name, input }) => [name, input.value]));
}

function reminder(call, settings, note) {
  const { apiKey, operatorToken } = settings.where();
  const given = call.isOperator ? operatorToken : apiKey;
  const isLive = !call.isOperator && given.includes("_live_");
  note.setAttribute("class", isLive ? "try-note live" : "try-note");
  if (!given) return "Enter your key under Authentication first.";
  return isLive ? "This key is live: what you send is real and is billed." : "";
}

async function exchange(call, values, body, settings) {
  const { apiKey, operatorToken } = settings.where();
  const headers = { authorization: `Bearer ${call.isOperator ? operatorToken : apiKey}` };
  if (body !== undefined) headers["content-type"] = call.takes ?? "application/json";
  try {
    const response = await fetch(targetOf(call, values), { method: call.method, headers, body });
    const text = await response.text();
    return outcome(response.ok ? "ok" : "bad", `Answer ${response.status}`, pretty(text));
  } catch (error) {
    return outcome("bad", "No answer", error.message);
  }
}

function outcome(kind, title, text) {
  return [
    el("div", { class: "panel-head" }, el("span", { class: `panel-label ${kind}` }, title)),
    el("pre", { tabindex: "0" }, el("code", {}, ...highlighted(text, "json"))),
  ];
}

function pretty(text) {
  try {
    return json(JSON.parse(text));
  } catch {
    return text;
  }
}
