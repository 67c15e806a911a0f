import { styleText } from "node:util";

/** Input and output of a command, replaceable in tests. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly json: boolean;
  readonly color: boolean;
  readonly columns: number;
  /** True when a person can be prompted. */
  readonly isInteractive: boolean;
}

const COLUMNS_DEFAULT = 100;

export function openTerminal(json: boolean): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    json,
    color: wantsColor(process.env, process.stdout.isTTY === true),
    columns: process.stdout.columns ?? COLUMNS_DEFAULT,
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
  };
}

/** Precedence: NO_COLOR (any value), FORCE_COLOR, the kind of output. */
export function wantsColor(env: NodeJS.ProcessEnv, isTty: boolean): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return isTty && env["TERM"] !== "dumb";
}

type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export function styled(terminal: Terminal, style: Style, text: string): string {
  return terminal.color ? styleText(style, text) : text;
}
