import {
  Problem,
  TWILIO_ERROR_OF,
  TWILIO_ERROR_OF_FIELD,
  TWILIO_ERRORS,
  TWILIO_NAMES_OF_FIELDS,
  type TwilioErrorCode,
} from "@longwave/contract";
import type { PipelineAnswer } from "../../http/api/handler.ts";

const MORE_INFO = "https://www.twilio.com/docs/errors/";

/** A refusal with an error code of Twilio's own. */
export class TwilioRefusal extends Error {
  readonly code: TwilioErrorCode;

  constructor(code: TwilioErrorCode, message: string = TWILIO_ERRORS[code].message) {
    super(message);
    this.code = code;
  }
}

/** Part of Twilio's API; a field can have a different error code in each. */
export type Family = "messages" | "verify" | "other";

/** Refusal of an unsupported feature. */
export function notSupported(what: string): TwilioRefusal {
  return new TwilioRefusal(
    20501,
    `${what} docs/coming-from-twilio.md lists what this service does.`,
  );
}

/** Twilio's error code for a Problem. */
export function codeOf(problem: Problem, family: Family): TwilioErrorCode {
  const { param } = problem.details;
  // A resend that comes too soon, not the account's rate limit.
  if (family === "verify" && problem.code === "rate_limited") return 60203;
  // Outside of sends, there is no From number for 21606 to name.
  if (family === "other" && problem.code === "mode_mismatch") return 20403;
  const named = param === undefined ? undefined : TWILIO_ERROR_OF_FIELD[`${family} ${param}`];
  if (problem.code === "invalid_request" && named !== undefined) return named;
  if (problem.code === "invalid_request" && family === "verify") return 60200;
  return TWILIO_ERROR_OF[problem.code];
}

/** Our sentence with Twilio's field names: the field it begins with, and words with underscores. */
function messageOf(problem: Problem, family: Family): string {
  const { param = "" } = problem.details;
  const names = TWILIO_NAMES_OF_FIELDS[family] ?? {};
  return problem.message.replaceAll(/\b[a-z]+(?:_[a-z]+)*\b/g, (word, at: number) => {
    const isName = word.includes("_") || (at === 0 && word === param);
    return (isName && Object.hasOwn(names, word) ? names[word] : undefined) ?? word;
  });
}

/** HTTP answer of a refusal. */
export function refusalAnswer(error: Problem | TwilioRefusal, family: Family): PipelineAnswer {
  const code = error instanceof Problem ? codeOf(error, family) : error.code;
  const headers = error instanceof Problem ? error.details.headers : undefined;
  const message = error instanceof Problem ? messageOf(error, family) : error.message;
  const { status } = TWILIO_ERRORS[code];
  const challenge = code === 20003 ? { "www-authenticate": 'Basic realm="Longwave"' } : {};
  return {
    status,
    body: { code, message, more_info: `${MORE_INFO}${code}`, status },
    headers: { ...headers, ...challenge },
  };
}
