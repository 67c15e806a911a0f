/**
 * Text from outside as PostgreSQL can keep it. Carriers bring anything: the database takes no NUL,
 * and half a surrogate pair is no text. Both become U+FFFD, the sign of what could not be read.
 */
export function storableText(text: string): string {
  return Buffer.from(text.replaceAll("\u0000", "\ufffd"), "utf8").toString("utf8");
}
