/** Characters kept of a body; a longer one is cut and ends in an ellipsis. */
const BODY_CHARS_MAX = 2_048;
const REDACTED = "[redacted]";
const CUT = "…";

/** Names of fields whose values grant access or prove an identity. */
const SECRET_NAME =
  /secret|token|password|authorization|signature|credential|api_?key|^(?:pin|otp|ein|tax_id)$/i;
/** Words such as the code of an error; a code that somebody was sent has a digit. */
const WORD = /^[a-z_]+$/;

/**
 * JSON of a parsed body for the request log: secrets by field name replaced, at most 2,048
 * characters. Writing stops at the limit, so that a body of megabytes costs no more than a short one.
 */
export function redactedJson(body: unknown): string {
  const writer = new BoundedWriter();
  write(writer, body);
  return writer.text();
}

class BoundedWriter {
  readonly #parts: string[] = [];
  #left = BODY_CHARS_MAX;

  get isFull(): boolean {
    return this.#left < 0;
  }

  get left(): number {
    return this.#left;
  }

  put(text: string): void {
    if (this.isFull) return;
    this.#parts.push(text.length > this.#left ? text.slice(0, this.#left) + CUT : text);
    this.#left = text.length > this.#left ? -1 : this.#left - text.length;
  }

  text(): string {
    return this.#parts.join("");
  }
}

function write(writer: BoundedWriter, value: unknown): void {
  if (typeof value === "string") {
    // One character more than fits shows that the rest was cut.
    writer.put(JSON.stringify(value.slice(0, writer.left + 1)));
  } else if (Array.isArray(value)) writeList(writer, value);
  else if (typeof value === "object" && value !== null) writeFields(writer, value);
  else writer.put(value === undefined ? "null" : JSON.stringify(value));
}

function writeList(writer: BoundedWriter, values: readonly unknown[]): void {
  writer.put("[");
  for (const [index, value] of values.entries()) {
    if (writer.isFull) return;
    if (index > 0) writer.put(",");
    write(writer, value);
  }
  writer.put("]");
}

function writeFields(writer: BoundedWriter, fields: object): void {
  writer.put("{");
  let isFirst = true;
  for (const name in fields) {
    if (writer.isFull) return;
    if (!Object.hasOwn(fields, name)) continue;
    if (!isFirst) writer.put(",");
    isFirst = false;
    writer.put(`${JSON.stringify(name.slice(0, BODY_CHARS_MAX))}:`);
    const value = (fields as Readonly<Record<string, unknown>>)[name];
    write(writer, isSecret(name, value) ? REDACTED : value);
  }
  writer.put("}");
}

function isSecret(name: string, value: unknown): boolean {
  if (value === null) return false;
  if (name.toLowerCase() === "code") return typeof value !== "string" || !WORD.test(value);
  return SECRET_NAME.test(name);
}
