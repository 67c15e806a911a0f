import type { RouteSpec } from "@longwave/contract";
import fastJson from "fast-json-stringify";
import { withoutIds } from "./validate.ts";

/** The text of an answer's body, exactly as it is sent. */
export type Serialize = (status: number, body: unknown) => string;

/**
 * The serialisers of one route, compiled from the answers' schemas when first used: all of them
 * together would double the time of a start. An answer of one of two shapes is left to
 * JSON.stringify, because telling them apart costs more than it saves. What a schema does not name
 * is left out, so that no column leaks by accident.
 */
export function createSerialize(answers: RouteSpec["answers"]): Serialize {
  const known = new Map<number, (body: unknown) => string>();
  const make = (status: number): ((body: unknown) => string) => {
    const schema = (answers as Readonly<Record<number, object>>)[status];
    if (!schema || "anyOf" in schema) return JSON.stringify;
    return fastJson(withoutIds(schema), { ajv: { meta: false } });
  };
  return (status, body) => {
    let serialize = known.get(status);
    if (!serialize) {
      serialize = make(status);
      known.set(status, serialize);
    }
    return serialize(body);
  };
}
