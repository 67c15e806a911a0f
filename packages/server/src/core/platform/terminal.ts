import { styleText } from "node:util";

/** The part of a terminal's stream that is used here. */
export interface TerminalStream {
  readonly columns?: number;
  write(text: string): unknown;
  hasColors?(): boolean;
}

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const FRAME_MS = 80;
const COLUMNS_DEFAULT = 80;
/** Back to the start of the line, and erase it. */
const ERASE_LINE = "\r\u001b[K";
/** A line that ends so begins a phase of work. */
const BEGINS_PHASE = /^(\S.*) …$/;
const IS_DETAIL = /^ +/;

export interface Terminal {
  /**
   * Shows progress. A line that ends with `…` begins a phase, which keeps one line: a spinner and the latest detail
   * (an indented line) while it runs, its time when the next line comes.
   */
  say(line: string): void;
  /** Ends the running phase; something else writes next. */
  finish(): void;
  /** Writes whole lines above the running phase. */
  write(text: string): void;
}

/** Progress and log lines on one terminal, without tearing each other. */
export function openTerminal(stream: TerminalStream, monotonic: () => number): Terminal {
  let phase: { title: string; detail: string; startedMs: number; timer: NodeJS.Timeout } | null =
    null;
  let frame = 0;
  const paint = (style: "green" | "dim" | "cyan", text: string) =>
    stream.hasColors?.() ? styleText(style, text) : text;

  const draw = () => {
    if (!phase) return;
    const columns = stream.columns ?? COLUMNS_DEFAULT;
    const text = `${phase.title} … ${phase.detail}`.slice(0, Math.max(0, columns - 3));
    stream.write(`${ERASE_LINE}${paint("cyan", FRAMES[frame % FRAMES.length] ?? "")} ${text}`);
  };
  const begin = (title: string) => {
    const timer = setInterval(() => {
      frame += 1;
      draw();
    }, FRAME_MS);
    timer.unref();
    phase = { title, detail: "", startedMs: monotonic(), timer };
    draw();
  };
  const finish = () => {
    if (!phase) return;
    clearInterval(phase.timer);
    const seconds = ((monotonic() - phase.startedMs) / 1_000).toFixed(1);
    const time = paint("dim", `${seconds} s`);
    stream.write(`${ERASE_LINE}${paint("green", "✓")} ${phase.title}  ${time}\n`);
    phase = null;
  };

  return {
    say(line) {
      if (phase && IS_DETAIL.test(line)) {
        phase.detail = line.trim();
        draw();
        return;
      }
      finish();
      const [, title] = BEGINS_PHASE.exec(line) ?? [];
      if (title !== undefined) begin(title);
      else stream.write(`${line}\n`);
    },
    finish,
    write(text) {
      stream.write(phase ? `${ERASE_LINE}${text}` : text);
      draw();
    },
  };
}
