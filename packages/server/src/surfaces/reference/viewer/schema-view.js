import { el } from "./dom.js";
import { blocks } from "./markdown.js";
import { limits, typeLabel } from "./schema-words.js";

const DEPTH_MAX = 8;

/** Shows JSON Schemas of one document. */
export function createSchemaView(openapi) {
  const resolve = (schema) => {
    const name = schema?.$ref?.split("/").at(-1);
    return name === undefined ? schema : openapi.components.schemas[name];
  };

  /** The object that a field holds, however it is wrapped, or null. */
  function objectIn(schema) {
    const whole = resolve(schema);
    if (!whole) return null;
    if (whole.properties) return whole;
    if (whole.items) return objectIn(whole.items);
    const choices = (whole.anyOf ?? whole.oneOf ?? []).map(objectIn).filter((one) => one !== null);
    return choices.length === 1 ? choices[0] : null;
  }

  function choicesIn(schema) {
    const whole = resolve(schema);
    const choices = (whole?.anyOf ?? whole?.oneOf ?? []).filter((one) => objectIn(one) !== null);
    return choices.length > 1 ? choices : [];
  }

  /** A part that is made only when it is opened: schemas can be deep, and even lead to themselves. */
  function nested(label, schema, depth) {
    const part = el(
      "details",
      { class: "nested" },
      el("summary", { class: "nested-title" }, label),
    );
    part.addEventListener("toggle", () => {
      if (part.open && part.children.length === 1) part.append(fieldList(schema, depth + 1));
    });
    return part;
  }

  function field(name, schema, isRequired, depth) {
    const values = (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null);
    const inner = objectIn(schema);
    const text = [schema.description, limits(schema)].filter((part) => part).join("\n\n");
    return el(
      "li",
      { class: "field" },
      el(
        "div",
        { class: "field-head" },
        el("span", { class: "field-name" }, name),
        el("span", { class: "field-type" }, typeLabel(schema)),
        isRequired ? el("span", { class: "field-required" }, "required") : null,
      ),
      text ? el("div", { class: "field-text" }, ...blocks(text)) : null,
      values.length > 0
        ? el("div", { class: "values" }, ...values.map((value) => el("code", {}, String(value))))
        : null,
      inner && depth < DEPTH_MAX ? nested("Its fields", inner, depth) : null,
      ...(inner ? [] : choicesIn(schema)).map((choice) =>
        depth < DEPTH_MAX ? nested(typeLabel(choice), objectIn(choice), depth) : null,
      ),
    );
  }

  /** The fields of an object; `marksRequired` is for requests, where it matters. */
  function fieldList(schema, depth = 0, marksRequired = false) {
    const whole = objectIn(schema);
    if (!whole) {
      const choices = choicesIn(schema);
      return choices.length === 0
        ? el("p", { class: "field-text" }, typeLabel(schema))
        : el("div", {}, ...choices.map((one) => nested(typeLabel(one), objectIn(one), depth)));
    }
    const required = new Set(whole.required ?? []);
    return el(
      "ul",
      { class: "fields" },
      ...Object.entries(whole.properties).map(([name, property]) =>
        field(name, property, marksRequired && required.has(name), depth),
      ),
    );
  }

  return { fieldList, field, resolve };
}
