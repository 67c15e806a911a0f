import { type Logger, pino } from "pino";

export type Log = Logger;

/** Paths whose values never reach a log line: credentials, texts and codes. */
const REDACTED = [
  "authorization",
  "*.authorization",
  "headers.authorization",
  "body",
  "*.body",
  "text",
  "code",
  "*.code_digits",
  "key",
  "secret",
  "*.secret",
  "password",
  "*.password",
];

export function createLog(options: { level: string; destination?: NodeJS.WritableStream }): Log {
  const settings = {
    level: options.level,
    redact: { paths: REDACTED, censor: "[redacted]" },
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  return options.destination
    ? pino(settings, options.destination)
    : pino(settings, pino.destination(2));
}
