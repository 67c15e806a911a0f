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

/** A refusal that has a number of its own over there. */
export class TwilioRefusal extends Error {
  readonly code: TwilioErrorCode;

  constructor(code: TwilioErrorCode, message: string = TWILIO_ERRORS[code].message) {
    super(message);
    this.code = code;
  }
}

/** Which part of the interface a refusal comes from: the same field has another number in each. */
export type Family = "messages" | "verify" | "other";

/** What is not done here, said so. */
export function notDone(what: string): TwilioRefusal {
  return new TwilioRefusal(
    20501,
    `${what} docs/coming-from-twilio.md lists what this service does.`,
  );
}

/** One of our refusals in their words: their code, their body, and our sentence. */
export function codeOf(problem: Problem, family: Family): TwilioErrorCode {
  const { param } = problem.details;
  // A resend that comes too soon, and not a caller who asks too often.
  if (family === "verify" && problem.code === "rate_limited") return 60203;
  // Outside of sends there is no From number that 21606 could blame.
  if (family === "other" && problem.code === "mode_mismatch") return 20403;
  const named = param === undefined ? undefined : TWILIO_ERROR_OF_FIELD[`${family} ${param}`];
  if (problem.code === "invalid_request" && named !== undefined) return named;
  if (problem.code === "invalid_request" && family === "verify") return 60200;
  return TWILIO_ERROR_OF[problem.code];
}

/** Our sentence with their names for the fields: the one it begins with, and those that are no words of English. */
function messageOf(problem: Problem, family: Family): string {
  const { param = "" } = problem.details;
  const names = TWILIO_NAMES_OF_FIELDS[family] ?? {};
  return problem.message.replaceAll(/\b[a-z]+(?:_[a-z]+)*\b/g, (word, at: number) => {
    const isName = word.includes("_") || (at === 0 && word === param);
    return (isName && Object.hasOwn(names, word) ? names[word] : undefined) ?? word;
  });
}

/** The answer that a refusal becomes. */
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
