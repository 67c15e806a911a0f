/**
 * Untrusted text as PostgreSQL can store it. Carriers send anything: the database refuses NUL, and a lone surrogate
 * is not valid Unicode. Both become U+FFFD, the replacement character.
 */
export function storableText(text: string): string {
  return Buffer.from(text.replaceAll("\u0000", "\ufffd"), "utf8").toString("utf8");
}

const SHOWN_NAME_CHARS_MAX = 100;

/** A field's name for an error message, cut to `SHOWN_NAME_CHARS_MAX` characters. */
export function shownName(name: string): string {
  if (name.length <= SHOWN_NAME_CHARS_MAX) return name;
  return `${[...name.slice(0, SHOWN_NAME_CHARS_MAX * 2)].slice(0, SHOWN_NAME_CHARS_MAX).join("")}…`;
}
