import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem, TWILIO_FORM_FIELDS_MAX } from "@longwave/contract";
import { notSupported, TwilioRefusal } from "./refusals.ts";

/** Parameters of a call, each given once. */
export type Form = ReadonlyMap<string, string>;

/** Parameters that a call accepts, and those it may ignore safely. */
export interface FormRules {
  readonly takes: readonly string[];
  /** Ignored: they ask for nothing that could be done differently. */
  readonly ignores?: readonly string[];
}

export function checkFormType(request: IncomingMessage): void {
  const type = (request.headers["content-type"] ?? "").toLowerCase().split(";")[0]?.trim();
  if (type === "application/x-www-form-urlencoded") return;
  throw new Problem(
    "unsupported_media_type",
    "The parameters must come as application/x-www-form-urlencoded.",
  );
}

/** Parses a form or a query. Duplicate and unknown parameters are refused. */
export function readForm(text: string, { takes, ignores = [] }: FormRules): Form {
  const form = new Map<string, string>();
  const entries = [...new URLSearchParams(text)];
  if (entries.length > TWILIO_FORM_FIELDS_MAX) {
    throw new TwilioRefusal(20001, `Send at most ${TWILIO_FORM_FIELDS_MAX} parameters.`);
  }
  for (const [name, value] of entries) {
    const shown = name.slice(0, 64);
    if (ignores.includes(name)) continue;
    if (!takes.includes(name)) throw notSupported(`The parameter ${shown} is not supported here.`);
    if (form.has(name)) throw new TwilioRefusal(20001, `${shown} is given twice. Send it once.`);
    if (value.includes("\u0000")) {
      throw new TwilioRefusal(20001, `${shown} holds a NUL character. Leave it out.`);
    }
    form.set(name, value);
  }
  return form;
}

/** Twilio's signature: HMAC of the URL followed by every parameter and value, sorted by name. */
export function twilioSignature(
  token: string,
  url: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const text = Object.keys(parameters)
    .sort((a, b) => (a < b ? -1 : 1))
    .reduce((sum, name) => sum + name + parameters[name], url);
  return createHmac("sha1", token).update(text, "utf8").digest("base64");
}
