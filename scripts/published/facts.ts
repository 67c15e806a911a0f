import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Schema } from "../../packages/contract/src/openapi/json.ts";

/**
 * Promises of the OpenAPI document, one fact per line, sorted. A person can read the file, and a comparison shows
 * whether a change breaks clients.
 */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

/**
 * Kinds of facts.
 *
 * - `offers`: an operation, under its id.
 * - `takes`: a parameter or a field of a request, with its type or one of its values.
 * - `needs`: a required parameter or field.
 * - `answers`: a status with the shape of its body.
 * - `has`: a field of an answer, with its type.
 */
export function factsOf(document: Document): string[] {
  const facts = new Set<string>();
  const asked = new Set<string>();
  const answered = new Set<string>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const call = `${method.toUpperCase()} ${path}`;
      facts.add(`offers ${call} as ${operation.operationId}`);
      addRequest(facts, call, operation);
      addAnswers(facts, call, operation);
      collectAll(document, [operation.requestBody?.content], asked);
      const answers = Object.values(operation.responses).map(({ content }) => content);
      collectAll(document, answers, answered);
    }
  }
  for (const name of asked) addInput(facts, name, document.components.schemas[name] ?? {});
  for (const name of answered) addOutput(facts, name, document.components.schemas[name] ?? {});
  return [...facts].sort((one, other) => (one < other ? -1 : 1));
}

function collectAll(
  document: Document,
  contents: readonly (Content | undefined)[],
  found: Set<string>,
): void {
  const media = contents.flatMap((content) => Object.values(content ?? {}));
  for (const { schema } of media) collect(document, schema, found);
}

function addRequest(facts: Set<string>, call: string, operation: Operation): void {
  for (const parameter of operation.parameters ?? []) addParameter(facts, call, parameter);
  for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
    facts.add(`takes ${call} ${type} ${typeOf(schema)}`);
  }
  if (operation.requestBody?.required) facts.add(`needs ${call} a body`);
}

function addAnswers(facts: Set<string>, call: string, operation: Operation): void {
  for (const [status, { content }] of Object.entries(operation.responses)) {
    for (const [type, { schema }] of Object.entries(content ?? {})) {
      facts.add(`answers ${call} ${status} ${type} ${typeOf(schema)}`);
    }
  }
}

function addParameter(facts: Set<string>, call: string, parameter: Parameter): void {
  if (parameter.name === undefined) return;
  const where = `${call} ${parameter.in} ${parameter.name}`;
  addValues(facts, where, parameter.schema ?? {});
  if (parameter.required) facts.add(`needs ${where}`);
}

/** Every enum value is a fact of its own: values may be added, not removed. */
function addValues(facts: Set<string>, where: string, schema: Schema): void {
  if (!schema.enum) facts.add(`takes ${where} ${typeOf(schema)}`);
  for (const value of schema.enum ?? []) facts.add(`takes ${where} ${JSON.stringify(value)}`);
}

function addInput(facts: Set<string>, where: string, schema: Schema): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    addValues(facts, `${where}.${name}`, field);
    addInput(facts, `${where}.${name}`, field);
    if (field.items) addInput(facts, `${where}.${name}[]`, field.items);
  }
  for (const name of schema.required ?? []) facts.add(`needs ${where}.${name}`);
}

function addOutput(facts: Set<string>, where: string, schema: Schema): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    facts.add(`has ${where}.${name} ${typeOf(field)}`);
    addOutput(facts, `${where}.${name}`, field);
    if (field.items) addOutput(facts, `${where}.${name}[]`, field.items);
  }
  for (const choice of schema.oneOf ?? schema.anyOf ?? []) {
    if (choice.$ref) facts.add(`has ${where} as ${typeOf(choice)}`);
    else addOutput(facts, where, choice);
  }
}

/** Collects the components that a schema refers to. */
function collect(document: Document, schema: Schema | undefined, found: Set<string>): void {
  if (!schema) return;
  const name = schema.$ref?.split("/").at(-1);
  if (name !== undefined && !found.has(name)) {
    found.add(name);
    collect(document, document.components.schemas[name], found);
  }
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  for (const one of inner) collect(document, one, found);
}

function typeOf(schema: Schema | undefined): string {
  if (!schema) return "anything";
  if (schema.$ref) return schema.$ref.split("/").at(-1) ?? "";
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices.map(typeOf));
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  return joined([schema.type ?? "anything"].flat());
}

function joined(types: readonly string[]): string {
  return [...types].sort((one, other) => (one < other ? -1 : 1)).join("|");
}

/**
 * Whether a published input is still accepted, possibly as one of several types: accepting null in addition breaks
 * nobody.
 */
function isTaken(takes: ReadonlyMap<string, ReadonlySet<string>>, fact: string): boolean {
  const [where, types] = pathAndTypes(fact);
  const now = takes.get(where);
  return now !== undefined && types.every((type) => now.has(type));
}

function typesTaken(facts: readonly string[]): Map<string, ReadonlySet<string>> {
  const taken = facts.filter((fact) => fact.startsWith("takes ")).map(pathAndTypes);
  return new Map(taken.map(([where, types]) => [where, new Set(types)]));
}

/** Splits a `takes` fact into its path and its types. */
function pathAndTypes(fact: string): [where: string, types: string[]] {
  const end = fact.lastIndexOf(" ");
  return [fact.slice(0, end), fact.slice(end + 1).split("|")];
}

/** Whether a fact is about an operation or schema. A longer path or name that begins the same is another one. */
function isAbout(fact: string, owner: string): boolean {
  const end = fact.indexOf(` ${owner}`) + owner.length + 1;
  return end > owner.length && /^(?:[ .[]|$)/.test(fact.slice(end));
}

/** Removed promises and new requirements, which break existing clients. */
export function breaksOf(published: readonly string[], current: readonly string[]): string[] {
  const now = new Set(current);
  const before = new Set(published);
  const takes = typesTaken(current);
  const gone = published.filter(
    (fact) => !fact.startsWith("needs ") && !now.has(fact) && !isTaken(takes, fact),
  );
  // A requirement of a new operation or field breaks nobody.
  const needed = current.filter((fact) => {
    if (!fact.startsWith("needs ") || before.has(fact)) return false;
    const [, owner = ""] = /^needs (\S+ \S+|[^.]+)/.exec(fact) ?? [];
    return published.some((old) => isAbout(old, owner));
  });
  return [...gone.map((fact) => `no longer ${fact}`), ...needed.map((fact) => `now ${fact}`)];
}

export const PUBLISHED_FILE = fileURLToPath(
  new URL("../../packages/contract/published.txt", import.meta.url),
);

/** Interface as of its last publication. */
export function publishedFacts(): string[] {
  if (!existsSync(PUBLISHED_FILE)) return [];
  return readFileSync(PUBLISHED_FILE, "utf8").trimEnd().split("\n");
}
