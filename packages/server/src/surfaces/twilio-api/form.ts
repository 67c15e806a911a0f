import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem, TWILIO_FORM_FIELDS_MAX } from "@longwave/contract";
import { notDone, TwilioRefusal } from "./refusals.ts";

/** The parameters of a call, each given once. */
export type Form = ReadonlyMap<string, string>;

/** What a call does with parameters: those it takes, and those that it would be wrong to ignore. */
export interface FormRules {
  readonly takes: readonly string[];
  /** They change nothing that we could do otherwise. */
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

/** Reads a form or a query. A parameter that is given twice, or that nobody knows, is refused. */
export function readForm(text: string, { takes, ignores = [] }: FormRules): Form {
  const form = new Map<string, string>();
  const entries = [...new URLSearchParams(text)];
  if (entries.length > TWILIO_FORM_FIELDS_MAX) {
    throw new TwilioRefusal(20001, `Send at most ${TWILIO_FORM_FIELDS_MAX} parameters.`);
  }
  for (const [name, value] of entries) {
    const shown = name.slice(0, 64);
    if (ignores.includes(name)) continue;
    if (!takes.includes(name)) throw notDone(`The parameter ${shown} is not supported here.`);
    if (form.has(name)) throw new TwilioRefusal(20001, `${shown} is given twice. Send it once.`);
    if (value.includes("\u0000")) {
      throw new TwilioRefusal(20001, `${shown} holds a NUL character. Leave it out.`);
    }
    form.set(name, value);
  }
  return form;
}

/** How the other provider signs: the whole address, then every parameter and its value, by name. */
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
