import { type HookDeclaration, type HookSignature, Problem } from "@longwave/contract";
import { FieldCheck, readSignature, type SignatureOptions } from "../../network/carriers/index.ts";
import { pathOf } from "./content.ts";
import { templateFault } from "./template.ts";

/** Values of the answer's body. */
const ANSWER_VALUES = ["message_id", "created_at"] as const;
const REFUSAL_VALUES = ["code", "message", "status"] as const;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?charset=[\w-]{1,30})?$/;
/** Stands for the secret while only the form of a declaration is checked. */
const ANY_SECRET = "whsec_c2VjcmV0LXNlY3JldA==";
const USER_DEFAULT = "hook";
const PATH_TAKES = "a path such as user.phone or alerts[0].labels.alertname";

/** Refuses a declaration with a mistake, naming its field. `at`: the field that holds it, with a dot. */
export function checkDeclaration(
  declaration: HookDeclaration,
  recipients: readonly string[],
  at = "declaration.",
): void {
  for (const [field, text] of pathsIn(declaration)) {
    if (pathOf(text) === null) fail(at + field, `must be ${PATH_TAKES}.`);
  }
  for (const [field, text, names] of templatesIn(declaration)) {
    const fault = templateFault(text, names);
    if (fault !== null) fail(at + field, fault);
  }
  for (const field of ["answer", "refusal"] as const) {
    const type = declaration[field]?.content_type;
    if (type && !MEDIA_TYPE.test(type)) fail(`${at}${field}.content_type`, "must be a media type.");
  }
  if ((declaration.answer?.status ?? 200) > 299) fail(`${at}answer.status`, "must be 200 to 299.");
  if (!declaration.to && recipients.length === 0) {
    fail("recipients", "must name at least one phone: the declaration has no path to one.");
  }
  if (declaration.signature) checkSignature(declaration.signature, `${at}signature`);
}

function fail(param: string, problem: string): never {
  throw new Problem("invalid_request", `${param} ${problem}`, { param });
}

function pathsIn({ list, when, to, code }: HookDeclaration): [field: string, path: string][] {
  return [
    ...(list ? [["list", list] as [string, string]] : []),
    ...(when ?? []).map(({ path }, at): [string, string] => [`when[${at}].path`, path]),
    ...(to ?? []).map((path, at): [string, string] => [`to[${at}]`, path]),
    ...(code ?? []).map((path, at): [string, string] => [`code[${at}]`, path]),
  ];
}

type NamedTemplate = readonly [field: string, text: string, names: readonly string[] | null];

function templatesIn({ body, id, answer, refusal }: HookDeclaration): NamedTemplate[] {
  const templates: NamedTemplate[] = [
    ["body", body, null],
    ["id", id ?? "", null],
    ["answer.body", answer?.body ?? "", ANSWER_VALUES],
    ["refusal.body", refusal?.body ?? "", REFUSAL_VALUES],
  ];
  return templates;
}

function checkSignature(signature: HookSignature, at: string): void {
  const problems: string[] = [];
  readOptions(signature, ANY_SECRET, at, problems);
  const [first] = problems;
  if (first === undefined) return;
  const [param = at] = first.split(" ");
  throw new Problem("invalid_request", first, { param });
}

/** The signature of a stored declaration, with its secret. */
export function signaturesOf(
  { signature }: HookDeclaration,
  secret: string,
): readonly SignatureOptions[] {
  return signature ? [readOptions(signature, secret, "signature", [])] : [];
}

/** The secret is the key of every type; no environment variable is in reach. */
function readOptions(
  signature: HookSignature,
  secret: string,
  at: string,
  problems: string[],
): SignatureOptions {
  const given = Object.fromEntries(Object.entries(signature).filter(([, value]) => value !== null));
  const entry = signature.type === "basic" ? { user: USER_DEFAULT, ...given } : given;
  return readSignature(new FieldCheck(entry, at, problems), {}, secret);
}
