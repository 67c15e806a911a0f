/**
 * Text from outside as PostgreSQL can keep it. Carriers bring anything: the database takes no NUL,
 * and half a surrogate pair is no text. Both become U+FFFD, the sign of what could not be read.
 */
export function storableText(text: string): string {
  return Buffer.from(text.replaceAll("\u0000", "\ufffd"), "utf8").toString("utf8");
}

const SHOWN_NAME_CHARS_MAX = 100;

/** A field's name as an error shows it: whatever was sent, never more than a line of it. */
export function shownName(name: string): string {
  if (name.length <= SHOWN_NAME_CHARS_MAX) return name;
  return `${[...name.slice(0, SHOWN_NAME_CHARS_MAX * 2)].slice(0, SHOWN_NAME_CHARS_MAX).join("")}…`;
}
