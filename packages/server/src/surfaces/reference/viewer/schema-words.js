/** Schemas in words: no DOM in here. */

/** `string or null`, `list of Message`, `Message`. */
export function typeLabel(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeLabel))].join(" or ");
  const types = [schema.type ?? "anything"].flat();
  return types.map((type) => (type === "array" ? listLabel(schema) : type)).join(" or ");
}

function listLabel(schema) {
  return schema.items ? `list of ${typeLabel(schema.items)}` : "list";
}

const BOUNDS = [
  ["minLength", "at least", "characters"],
  ["maxLength", "at most", "characters"],
  ["minItems", "at least", "items"],
  ["maxItems", "at most", "items"],
  ["minimum", "from", ""],
  ["maximum", "up to", ""],
];

/** The limits of a value as a sentence; "not empty" goes without saying. */
export function limits(schema) {
  const parts = BOUNDS.filter(
    ([name]) => schema[name] !== undefined && !(name === "minLength" && schema[name] === 1),
  ).map(([name, words, unit]) => {
    const counted = schema[name] === 1 ? unit.replace(/s$/, "") : unit;
    return `${words} ${schema[name].toLocaleString("en-US")} ${counted}`.trim();
  });
  if (parts.length === 0) return "";
  const text = parts.join(", ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
