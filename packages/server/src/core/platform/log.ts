import { KEY_PREFIXES, OLDER_KEY_PREFIXES, WEBHOOK_SECRET_PREFIX } from "@longwave/contract";
import { type DestinationStream, type Logger, pino } from "pino";

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

export function createLog(options: { level: string; destination?: DestinationStream }): Log {
  const settings = {
    level: options.level,
    redact: { paths: REDACTED, censor: "[redacted]" },
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    hooks: { streamWrite: (line: string) => line.replace(CREDENTIALS, "[redacted]") },
  };
  return pino(settings, options.destination ?? standardError());
}

/** Standard error. A reader that goes away must not stop the process. */
function standardError(): DestinationStream {
  const destination = pino.destination(2);
  destination.on("error", () => {});
  return destination;
}
