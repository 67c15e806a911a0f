const SHOWN_NAME_CHARS_MAX = 100;

/** A field's name as an error shows it: whatever was sent, never more than a line of it. */
export function shownName(name: string): string {
  if (name.length <= SHOWN_NAME_CHARS_MAX) return name;
  return `${[...name.slice(0, SHOWN_NAME_CHARS_MAX * 2)].slice(0, SHOWN_NAME_CHARS_MAX).join("")}…`;
}
