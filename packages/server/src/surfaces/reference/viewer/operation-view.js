import { cli, curl, sdk } from "./code-samples.js";
import { el } from "./dom.js";
import { csharp, go, java, php, python, ruby } from "./language-samples.js";
import { blocks, inline } from "./markdown.js";
import { choice, codePanel } from "./panel.js";
import { json } from "./request.js";
import { tryPanel } from "./try-it.js";

/** Samples of every call, in the order of the list that the reader chooses from. */
// biome-ignore format: one sample per line, read as a table
export const SAMPLES = [
  { name: "curl",         language: "sh",     make: curl },
  { name: "TypeScript",   language: "ts",     make: sdk },
  { name: "Command line", language: "sh",     make: cli },
  { name: "Python",       language: "python", make: python },
  { name: "Go",           language: "go",     make: go },
  { name: "PHP",          language: "php",    make: php },
  { name: "Ruby",         language: "ruby",   make: ruby },
  { name: "Java",         language: "java",   make: java },
  { name: "C#",           language: "csharp", make: csharp },
];

/** Good answers in the order in which the page shows them: the object made comes before its preview. */
const STATUS_ORDER = ["201", "200", "202"];

function goodAnswers(operation) {
  const place = (status) => [...STATUS_ORDER, status].indexOf(status);
  return Object.entries(operation.responses)
    .filter(([status]) => status < "300")
    .sort(([one], [other]) => place(one) - place(other));
}

/** One operation of the document, in the form that the page and the samples need. */
export function callOf(path, method, operation) {
  const parameters = operation.parameters.filter((parameter) => parameter.name !== undefined);
  const content = operation.requestBody?.content ?? {};
  const media = content["application/json"];
  /** The type of the file that is the body, where it is one. */
  const takes = media ? undefined : Object.keys(content)[0];
  const [, answer] = goodAnswers(operation)[0] ?? [];
  const answerSchema = answer?.content?.["application/json"]?.schema;
  return {
    id: operation.operationId,
    path,
    method: method.toUpperCase(),
    operation,
    parameters,
    pathNames: parameters.filter((one) => one.in === "path").map((one) => one.name),
    sdkMethod: operation["x-sdk-method"],
    scope: operation["x-scope"],
    isOperator: operation["x-scope"] === "operator",
    answersJson: answerSchema !== undefined,
    isList: answerSchema?.properties?.next_cursor !== undefined,
    bodySchema: media?.schema,
    takes,
    example: {
      ...exampleValues(parameters, media),
      file: content[takes]?.examples?.example?.value,
    },
  };
}

function exampleValues(parameters, media) {
  const values = { path: {}, query: {}, body: media?.examples?.example?.value };
  for (const parameter of parameters) {
    if (parameter.example === undefined) continue;
    if (parameter.in === "path") values.path[parameter.name] = parameter.example;
    if (parameter.in === "query") values.query[parameter.name] = parameter.example;
  }
  return values;
}

/**
 * The section of one operation: what it takes on the left, what to paste on the right. It begins as a
 * heading; `complete` makes the rest when the reader comes near.
 */
export function operationSection(call, view, settings) {
  const { operation } = call;
  const words = el(
    "div",
    {},
    el("h3", { id: `${call.id}-title` }, el("a", { href: `#${call.id}` }, operation.summary)),
    el(
      "p",
      { class: "endpoint" },
      el("span", { class: `method ${call.method.toLowerCase()}` }, call.method),
      call.path,
    ),
  );
  const element = el(
    "section",
    { class: "operation waiting", id: call.id, "aria-labelledby": `${call.id}-title` },
    words,
  );
  const complete = () => {
    element.setAttribute("class", "operation");
    const parts = [
      badges(call),
      ...blocks(operation.description ?? ""),
      ...parameterParts(call, view),
      ...bodyPart(call, view),
      ...answerParts(call, view),
    ];
    words.append(...parts.filter((part) => part !== null));
    const panels = [
      requestPanel(call, settings),
      responsePanel(call, settings),
      tryPanel(call, settings),
    ];
    element.append(el("div", { class: "samples" }, ...panels));
  };
  return { element, complete };
}

function badges(call) {
  if (call.scope === "any_key") return null;
  const text = call.isOperator ? "operator token" : `scope ${call.scope}`;
  return el("div", { class: "badges" }, el("span", { class: "badge" }, text));
}

function parameterParts(call, view) {
  return [
    ["path", "In the path"],
    ["query", "In the query"],
  ].flatMap(([place, title]) => {
    const own = call.parameters.filter((parameter) => parameter.in === place);
    if (own.length === 0) return [];
    const items = own.map((parameter) => {
      const schema = { ...parameter.schema, description: parameter.description };
      return view.field(parameter.name, schema, parameter.required, 0);
    });
    return [el("h4", {}, title), el("ul", { class: "fields" }, ...items)];
  });
}

function bodyPart(call, view) {
  if (!call.bodySchema) return [];
  const note = call.operation.requestBody.required ? "Body" : "Body (optional)";
  return [el("h4", {}, note), view.fieldList(call.bodySchema, 0, true)];
}

function answerParts(call, view) {
  return goodAnswers(call.operation).flatMap(([status, response]) => {
    const schema = response.content?.["application/json"]?.schema;
    return [
      el("h4", {}, `Answer ${status}`),
      el("p", { class: "field-text" }, ...inline(response.description)),
      schema ? view.fieldList(schema) : null,
    ];
  });
}

function requestPanel(call, settings) {
  const current = () => SAMPLES[settings.sample()] ?? SAMPLES[0];
  const read = () => {
    const { language, make } = current();
    return { code: make(call, call.example, settings.where()), language };
  };
  const names = SAMPLES.map(({ name }) => name);
  const select = choice("Language", names, settings.sample(), settings.setSample);
  const panel = codePanel(select, read);
  settings.onChange(() => {
    select.value = String(settings.sample());
    panel.show();
  });
  return panel.element;
}

/** Every answer that the document shows, good ones first. */
function responsePanel(call, settings) {
  const errors = Object.entries(call.operation.responses).filter(([status]) => status >= "300");
  const choices = [...goodAnswers(call.operation), ...errors].flatMap(([status, given]) => {
    const response = settings.responseOf(given);
    const examples = Object.entries(response.content?.["application/json"]?.examples ?? {});
    return examples.map(([name, { value }]) => ({
      label: `${status} ${status < "300" ? (value.object ?? "") : name}`.trim(),
      text: json(value),
    }));
  });
  if (choices.length === 0) return null;
  let chosen = choices[0];
  const labels = choices.map(({ label }) => label);
  const select = choice("Answer", labels, 0, (index) => {
    chosen = choices[index];
    panel.show();
  });
  const panel = codePanel(select, () => ({ code: chosen.text, language: "json" }));
  return panel.element;
}
