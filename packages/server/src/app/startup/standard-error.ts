import { type Config, environment } from "../../core/config/config.ts";
import { systemClock } from "../../core/platform/clock.ts";
import { createLog, type Log } from "../../core/platform/log.ts";
import { openTerminal } from "../../core/platform/terminal.ts";

/** A process has one standard error, which progress and log lines share. */
const terminal = process.stderr.isTTY
  ? openTerminal(process.stderr, systemClock().monotonic)
  : null;

/** Prints progress: a spinner for the running phase on a terminal, plain lines otherwise. */
export function say(line: string): void {
  if (terminal) terminal.say(line);
  else process.stderr.write(`${line}\n`);
}

/** Prints a line of the result, below a finished phase. */
export function print(line: string): void {
  terminal?.finish();
  process.stdout.write(`${line}\n`);
}

/** The program's log: words on a terminal, JSON elsewhere, unless a setting says otherwise. */
export function openLog({ logLevel, logFormat }: Config): Log {
  const format = logFormat === "auto" ? (terminal ? "text" : "json") : logFormat;
  if (terminal === null) return createLog({ level: logLevel, format });
  const isColored = !environment["NO_COLOR"];
  return createLog({ level: logLevel, format, isColored, destination: terminal });
}
