import type { RouteSpec } from "@longwave/contract";
import fastJson from "fast-json-stringify";
import { plainSchema } from "../body/validate.ts";

/** Serialises an answer's body exactly as it is sent. */
export type Serialize = (status: number, body: unknown) => string;

type Answers = RouteSpec["answers"];
type Write = (body: unknown) => string;

/** Keyed by the answer's schema: the console's routes share the schemas of the API's. */
const writers = new WeakMap<object, Write>();

/**
 * The serialisers of one route, compiled from the answers' schemas on first use: all at once would double the startup
 * time. An answer with two alternative shapes goes to JSON.stringify, because telling them apart costs more than it
 * saves. Fields outside the schema are dropped, so that no column leaks by accident.
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

/** Compiles the serialisers ahead of their first use. */
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
