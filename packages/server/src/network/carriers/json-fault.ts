/** Line and column, from 1, of the first character that breaks a JSON text. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the mistake of an invalid JSON text. The message of `JSON.parse` often lacks the position,
 * and quotes the text, which may hold secrets. A longer prefix never mends a broken one, so the
 * shortest broken prefix ends at the mistake.
 */
export function jsonFaultIn(text: string): JsonFault {
  let [sound, broken] = [0, text.length + 1];
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2);
    if (isBroken(text.slice(0, middle))) broken = middle;
    else sound = middle;
  }
  const before = text.slice(0, sound).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** False for JSON, and for the beginning of JSON. */
function isBroken(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return false;
  } catch (error) {
    const { message } = error as Error;
    if (message.includes("end of JSON input")) return false;
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return position === undefined || Number(position) < prefix.length;
  }
}
