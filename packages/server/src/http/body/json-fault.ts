const WHITESPACE = new Set([" ", "\t", "\n", "\r"]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const CONTROLS_BELOW = " ";

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma" | "end";

/**
 * Position of the first character that makes a string invalid JSON. JSON.parse does not always report a position, and
 * its messages quote the input, which may hold secrets.
 */
export function faultAt(text: string): number {
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let position = 0;
  for (;;) {
    while (WHITESPACE.has(text[position] ?? "")) position += 1;
    const step = stepAt(text, position, expected, open);
    if (step === null || position >= text.length) return position;
    if (step.end < 0) return -step.end;
    position = step.end;
    expected = step.expected;
  }
}

/** End of the next token and the tokens allowed after it; a negative end is the position of a fault. */
interface Step {
  readonly end: number;
  readonly expected: Expected;
}

function stepAt(
  text: string,
  position: number,
  expected: Expected,
  open: ("{" | "[")[],
): Step | null {
  const char = text[position] ?? "";
  const after = (): Expected => (open.length === 0 ? "end" : "comma");
  if (char === "}" || char === "]") {
    return mayClose(char, expected, open) ? { end: position + 1, expected: after() } : null;
  }
  switch (expected) {
    case "end":
      return null;
    case "colon":
      return char === ":" ? { end: position + 1, expected: "value" } : null;
    case "comma":
      if (char !== ",") return null;
      return { end: position + 1, expected: open.at(-1) === "{" ? "key" : "value" };
    case "key":
    case "key or }":
      return char === '"' ? { end: endOfString(text, position), expected: "colon" } : null;
    default:
      return valueAt(text, position, open, after);
  }
}

/** Closes the innermost open object or array, if this character may. */
function mayClose(char: "}" | "]", expected: Expected, open: ("{" | "[")[]): boolean {
  const empty: Expected = char === "}" ? "key or }" : "value or ]";
  if (expected !== "comma" && expected !== empty) return false;
  if (open.at(-1) !== (char === "}" ? "{" : "[")) return false;
  open.pop();
  return true;
}

function valueAt(
  text: string,
  position: number,
  open: ("{" | "[")[],
  after: () => Expected,
): Step | null {
  const char = text[position];
  if (char === "{" || char === "[") {
    open.push(char);
    return { end: position + 1, expected: char === "{" ? "key or }" : "value or ]" };
  }
  if (char === '"') return { end: endOfString(text, position), expected: after() };
  for (const pattern of [NUMBER, LITERAL]) {
    pattern.lastIndex = position;
    if (pattern.test(text)) return { end: pattern.lastIndex, expected: after() };
  }
  return null;
}

/** Position after the closing quote, or, negative, of the fault in the string. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (position < text.length) {
    const char = text[position] as string;
    if (char === '"') return position + 1;
    if (char < CONTROLS_BELOW) return -position;
    if (char === "\\") {
      ESCAPE.lastIndex = position;
      if (!ESCAPE.test(text)) return -position;
      position = ESCAPE.lastIndex;
    } else position += 1;
  }
  return -text.length;
}
