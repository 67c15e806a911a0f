import { KEY_PREFIXES, OLDER_KEY_PREFIXES, WEBHOOK_SECRET_PREFIX } from "@longwave/contract";
import { type DestinationStream, type Logger, pino } from "pino";
import { terminalDestination } from "./terminal-log.ts";

export type Log = Logger;

/** Prefix of operator tokens that the server generated. */
export const OPERATOR_TOKEN_PREFIX = "op_";

/** Paths whose values never reach a log line: credentials, message bodies and codes. */
const REDACTED = [
  "authorization",
  "*.authorization",
  "headers",
  "*.headers",
  "body",
  "*.body",
  "text",
  "*.text",
  "code",
  "*.code_digits",
  "key",
  "*.key",
  "secret",
  "*.secret",
  "password",
  "*.password",
  "token",
  "*.token",
  // PostgreSQL quotes rows and parameters in these.
  "err.detail",
  "err.where",
  "err.parameters",
];

/**
 * Credentials are also cut out of the finished line: an error's message may quote one, and no list of paths foresees
 * that.
 */
const SECRET_PREFIXES = [
  ...Object.values(KEY_PREFIXES),
  ...OLDER_KEY_PREFIXES,
  WEBHOOK_SECRET_PREFIX,
  OPERATOR_TOKEN_PREFIX,
];
const CREDENTIALS = new RegExp(
  [
    String.raw`\b(?:Bearer |Basic )[^\s"\\]+`,
    String.raw`\b(?:${SECRET_PREFIXES.join("|")})[0-9A-Za-z_-]{8,}`,
    String.raw`:\/\/[^\s"/@]+@`,
  ].join("|"),
  "g",
);

export interface LogOptions {
  readonly level: string;
  /** Lines of JSON for programs, or of words for a person. */
  readonly format?: "json" | "text";
  /** ANSI colours in lines of words. */
  readonly isColored?: boolean;
  /** Sink of the lines; standard error by default. */
  readonly destination?: DestinationStream;
}

export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    redact: { paths: REDACTED, censor: "[redacted]" },
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line: string) => line.replace(CREDENTIALS, "[redacted]") },
  };
  const destination = options.destination ?? standardError();
  const { format = "json", isColored = false } = options;
  const isText = format === "text";
  return pino(settings, isText ? terminalDestination(destination, { isColored }) : destination);
}

/** The same log for lines without foreign values: skipping redaction by path takes a third of the time. */
export function withoutRedaction(log: Log): Log {
  return log.child({}, { redact: [] });
}

/** Standard error. A reader that goes away must not stop the process. */
function standardError(): DestinationStream {
  const destination = pino.destination(2);
  destination.on("error", () => {});
  return destination;
}
