import type pg from "pg";
import { assert } from "../platform/assert.ts";
import { planningOnce } from "./pipelining.ts";
import { sharedClients } from "./shared-clients.ts";
import { type Fragment, render } from "./sql-builder.ts";
import type { Statement } from "./statement.ts";

export const PLANNED_CONNECTIONS = 2;
/** Every connection keeps a plan of each form, which takes some 500 KiB. */
const FORMS_MAX = 100;

export interface Planned {
  query<Row>(name: string, fragment: Fragment): Promise<Row[]>;
  close(): Promise<void>;
}

/** Connections for lists that take longer to plan than to do: each form of one is planned once. */
export function openPlanned(
  config: pg.ClientConfig,
  inspect: ((statement: Statement) => void) | undefined,
): Planned {
  const clients = sharedClients(planningOnce(config), PLANNED_CONNECTIONS);
  const names = new Map<string, string>();
  const nameOf = (name: string, text: string): string => {
    const known = names.get(text);
    if (known !== undefined) return known;
    assert(names.size < FORMS_MAX, "a statement that is planned once has too many forms");
    const made = `${name}_${names.size}`;
    names.set(text, made);
    return made;
  };
  return {
    async query<Row>(name: string, fragment: Fragment) {
      const { text, values } = render(fragment);
      inspect?.({ name, text });
      const form = { name: nameOf(name, text), text, values: values as unknown[] };
      const client = await clients.next();
      return (await client.query(form)).rows as Row[];
    },
    close: () => clients.close(),
  };
}
