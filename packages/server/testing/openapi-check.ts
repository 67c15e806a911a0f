import { readFileSync } from "node:fs";
import {
  ERRORS,
  type ErrorCode,
  errorsOf,
  openApiDocument,
  type RouteSpec,
  routes,
  withOtherCountries,
} from "@longwave/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { bundledDocument } from "./source-process.ts";

type Validator = ReturnType<Ajv2020["compile"]>;

let validators: ((pointer: string) => Validator) | null = null;

/** Compiles parts of the document, each once. */
function validatorAt(pointer: string): Validator {
  validators ??= openValidators();
  return validators(pointer);
}

function openValidators() {
  // The document's own test validates its schemas.
  const unchecked = { meta: false, validateSchema: false };
  // Optimizing is half of compiling, and most validators run a few times.
  const code = { optimize: false };
  const ajv = new Ajv2020({ strict: false, allErrors: false, code, ...unchecked });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(wholeDocument(), "document");
  const compiled = new Map<string, Validator>();
  return (pointer: string) => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
}

/**
 * Document of every route, the console's included. `npm test` makes it once for all files; making it takes
 * ten times as long as reading it.
 */
function wholeDocument(): object {
  const path = bundledDocument();
  return withOtherCountries(
    path === null ? openApiDocument(routes) : JSON.parse(readFileSync(path, "utf8")),
  );
}

/** fetch that checks every JSON response against the published document. */
export const checkedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.headers.get("content-type")?.includes("json")) {
    const { pathname } = new URL(String(input));
    checkAnswer(init?.method ?? "GET", pathname, response.status, await response.clone().json());
  }
  return response;
};

/** Throws if a response does not match the document. Paths outside the document pass. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  const route = routeOf(method, path);
  if (!route) return;
  const { name, spec } = route;
  const problem = status < 400 ? bodyProblem(spec, status, body) : errorProblem(spec, status, body);
  if (problem !== null) {
    throw new Error(`${method} ${path} (${name}) ${problem}\n${JSON.stringify(body, null, 2)}`);
  }
}

function bodyProblem(spec: RouteSpec, status: number, body: unknown): string | null {
  if (!(status in spec.answers)) {
    return `answered ${status}, which its route does not declare.`;
  }
  const operation = `/paths/${escaped(spec.path)}/${spec.method.toLowerCase()}`;
  const validate = validatorAt(`${operation}/responses/${status}/content/application~1json/schema`);
  return validate(body) ? null : `answered ${status} with a body that ${complaint(validate)}.`;
}

function errorProblem(spec: RouteSpec, status: number, body: unknown): string | null {
  const validate = validatorAt("/components/schemas/Error");
  if (!validate(body)) return `answered ${status} with an error that ${complaint(validate)}.`;
  const { code } = (body as { error: { code: ErrorCode } }).error;
  if (ERRORS[code].status !== status) return `answered ${status} with ${code}, which is another's.`;
  if (errorsOf(spec).includes(code)) return null;
  return `answered ${code}, which its route does not declare: add it to the route's errors.`;
}

function complaint(validate: Validator): string {
  const [error] = validate.errors ?? [];
  const extra = JSON.stringify(error?.params ?? {});
  return `does not fit the document: ${error?.instancePath || "it"} ${error?.message} ${extra}`;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

interface Routed {
  readonly name: string;
  readonly spec: RouteSpec;
  readonly parts: readonly string[];
}

/** Routes with fewer parameters first, because the first match wins. */
const ROUTED: readonly Routed[] = (Object.entries(routes) as [string, RouteSpec][])
  .map(([name, spec]) => ({ name, spec, parts: spec.path.split("/") }))
  .sort((a, b) => parameterCount(a) - parameterCount(b));

function routeOf(method: string, path: string): Routed | undefined {
  const given = path.split("/");
  return ROUTED.find(({ spec, parts }) => spec.method === method && isAt(parts, given));
}

function parameterCount({ parts }: Routed): number {
  return parts.filter((part) => part.startsWith("{")).length;
}

function isAt(template: readonly string[], given: readonly string[]): boolean {
  return (
    template.length === given.length &&
    template.every((part, index) => part === given[index] || part.startsWith("{"))
  );
}
