import type { RouteSpec } from "@longwave/contract";
import fastJson from "fast-json-stringify";
import { plainSchema } from "./validate.ts";

/** The text of an answer's body, exactly as it is sent. */
export type Serialize = (status: number, body: unknown) => string;

type Answers = RouteSpec["answers"];
type Write = (body: unknown) => string;

/** By the schema of the answer: the console's routes are the API's, and answer the same. */
const writers = new WeakMap<object, Write>();

/**
 * The serialisers of one route, compiled from the answers' schemas when first used: all of them
 * together would double the time of a start. An answer of one of two shapes is left to
 * JSON.stringify, because telling them apart costs more than it saves. What a schema does not name
 * is left out, so that no column leaks by accident.
 */
export function createSerialize(answers: Answers): Serialize {
  const known = new Map<number, Write>();
  return (status, body) => {
    let write = known.get(status);
    if (!write) {
      write = writerOf((answers as Readonly<Record<number, object>>)[status]);
      known.set(status, write);
    }
    return write(body);
  };
}

/** Compiles what else is compiled when it is first used. */
export function prepareSerialize(answers: Answers): void {
  for (const schema of Object.values(answers)) writerOf(schema);
}

function writerOf(schema: object | undefined): Write {
  if (!schema || "anyOf" in schema) return JSON.stringify;
  let write = writers.get(schema);
  if (!write) {
    write = fastJson(plainSchema(schema), { ajv: { meta: false } }) as Write;
    writers.set(schema, write);
  }
  return write;
}
