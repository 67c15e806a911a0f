/** Fields with untrusted input wherever they appear: from recipients, carriers and websites. */
const FOREIGN_FIELDS = new Set([
  "keyword",
  "response_body",
  "raw",
  "excerpt",
  "last_error",
  "properties",
]);
/** Fields of a contact, who may have filled in a form. */
const CONTACT_FIELDS = new Set(["name", "email", "company", "attributes"]);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Wraps text that other people wrote as `{"untrusted_text": …}`. JSON escapes the text, so it cannot
 * close its own wrapper; the server's instructions tell the model never to obey it.
 */
export function markForeign(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(markForeign);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      isForeign(fields, name) ? wrapped(field) : markForeign(field),
    ]),
  );
}

function isForeign(fields: Fields, name: string): boolean {
  if (FOREIGN_FIELDS.has(name)) return true;
  if (name === "body") return isReceived(fields);
  return fields["object"] === "contact" && CONTACT_FIELDS.has(name);
}

/** A received message, or the data of its event, which has no status. */
function isReceived({ direction, message_id, from, status }: Fields): boolean {
  if (direction !== undefined) return direction === "inbound";
  return message_id !== undefined && from !== undefined && status === undefined;
}

function wrapped(value: unknown): unknown {
  return value === null || value === undefined ? value : { untrusted_text: value };
}
