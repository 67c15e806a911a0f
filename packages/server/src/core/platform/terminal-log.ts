import type { DestinationStream } from "pino";

/** Levels of pino as words, with their ANSI colours: grey, cyan, yellow, red. */
const LEVELS: ReadonlyMap<number, readonly [word: string, color: number]> = new Map([
  [10, ["trace", 90]],
  [20, ["debug", 90]],
  [30, ["info", 36]],
  [40, ["warn", 33]],
  [50, ["error", 31]],
  [60, ["fatal", 31]],
]);
const DIM = 2;
const RED = 31;
/** Longest word of LEVELS. */
const LEVEL_CHARS = 5;
/** `HH:MM:SS` within an ISO timestamp. */
const TIME_OF_DAY = [11, 19] as const;
/** Fields that the beginning of the line already shows, or that only programs need. */
const SHOWN_ELSEWHERE = new Set(["level", "time", "pid", "msg", "err"]);
/** Control characters would let foreign text move the cursor, or forge a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are the subject
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

interface Line {
  readonly [field: string]: unknown;
  readonly level?: number;
  readonly time?: string;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

/** Formats lines of JSON for a person: time in UTC, level, message, facts; an error's stack below. */
export function terminalDestination(
  out: { write(text: string): unknown },
  options: { readonly isColored: boolean },
): DestinationStream {
  return { write: (line) => void out.write(`${formatForTerminal(line, options)}\n`) };
}

function formatForTerminal(json: string, options: { readonly isColored: boolean }): string {
  const line = parse(json);
  if (line === null) return json.trimEnd();
  const paint = (code: number, text: string) =>
    options.isColored && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [word, color] = LEVELS.get(line.level ?? 0) ?? [String(line.level), DIM];
  const time = paint(DIM, (line.time ?? "").slice(...TIME_OF_DAY));
  const facts = Object.entries(line).filter(([name]) => !SHOWN_ELSEWHERE.has(name));
  const { text, rest } = subjectOf(line, facts, paint);
  const pairs = rest.map(([name, value]) => `${name}=${shown(value)}`).join(" ");
  const first = [time, paint(color, word.padEnd(LEVEL_CHARS)), text, paint(DIM, pairs)];
  const stack = line.err?.stack ?? line.err?.message;
  const lines = [first.filter((part) => part !== "").join(" ")];
  if (stack !== undefined) {
    const rows = stack.split("\n").map((row) => `  ${row.replace(CONTROL, "")}`);
    lines.push(paint(DIM, rows.join("\n")));
  }
  return lines.join("\n");
}

type Fact = readonly [name: string, value: unknown];

/** A request reads `POST /v1/messages 201 4 ms`; every other line begins with its message. */
function subjectOf(
  line: Line,
  facts: readonly Fact[],
  paint: (code: number, text: string) => string,
): { readonly text: string; readonly rest: readonly Fact[] } {
  const { method, path, status, duration_ms: durationMs } = line;
  if (line.msg !== "http: request" || typeof status !== "number") {
    return { text: String(line.msg ?? "").replace(CONTROL, " "), rest: facts };
  }
  const part = new Set(["method", "path", "route", "status", "duration_ms"]);
  const outcome = status >= 500 ? paint(RED, String(status)) : String(status);
  return {
    text: `${method} ${path} ${outcome} ${Math.round(Number(durationMs))} ms`,
    rest: facts.filter(([name, value]) => !part.has(name) && value !== null),
  };
}

function parse(json: string): Line | null {
  try {
    return JSON.parse(json) as Line;
  } catch {
    return null;
  }
}

/** Bare words as they are; everything else as JSON, which escapes line breaks. */
function shown(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/+@-]+$/.test(value)) return value;
  return JSON.stringify(value).replace(CONTROL, "");
}
