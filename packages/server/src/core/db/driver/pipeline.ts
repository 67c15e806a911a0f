import pg from "pg";
import { limitAnswer } from "./client.ts";
import { columnTypes } from "./profiles.ts";
import type { Statement, Step } from "./statement.ts";

/**
 * Runs the steps as one transaction in one round trip: PostgreSQL treats everything before one Sync as a transaction,
 * so neither begin nor commit is sent. Each statement sees what was committed before it began.
 */
export function execPipelined(client: pg.ClientBase, steps: readonly Step[]): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const cancelLimit = limitAnswer(client, reject);
    client.query(
      new PipelinedQuery(steps, (error, results) => {
        cancelLimit();
        if (error) reject(error);
        else resolve(results as unknown[][]);
      }),
    );
  });
}

/** Name of a result column and its parser. */
interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** Methods of the driver's connection that a pipeline uses. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: "P" }): void;
  execute(message: object): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
}

/** Prepared statements per connection, with the columns of their rows. */
const PREPARED = new WeakMap<Wire, Map<string, readonly Column[]>>();

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } })
  .utils;

type Completed = (error: Error | null, results?: unknown[][]) => void;

/** A query of the driver's own kind, so that it may share a connection with others. */
class PipelinedQuery extends pg.Query {
  callback: Completed;
  readonly #steps: readonly Step[];
  readonly #results: unknown[][];
  readonly #columns: (readonly Column[])[];
  #completed = 0;
  #unreadable: Error | null = null;

  constructor(steps: readonly Step[], callback: Completed) {
    super("");
    this.callback = callback;
    this.#steps = steps;
    this.#results = steps.map(() => []);
    this.#columns = steps.map(() => []);
  }

  override submit = (connection: unknown): Error | null => {
    const wire = connection as Wire;
    let texts: unknown[][];
    try {
      // Serialize all values before sending: half a pipeline would be committed as a whole.
      texts = this.#steps.map((step) => step.values.map((value) => prepareValue(value)));
    } catch (error) {
      return error as Error;
    }
    wire.stream.cork();
    this.#steps.forEach(({ statement }, index) => {
      this.#send(wire, statement, texts[index] as unknown[], index);
    });
    wire.sync();
    wire.stream.uncork();
    return null;
  };

  #send(wire: Wire, statement: Statement, values: readonly unknown[], index: number): void {
    const known = PREPARED.get(wire)?.get(statement.name);
    if (known) {
      this.#columns[index] = known;
    } else {
      // A failed pipeline may have left it prepared; closing an unknown name is no error.
      wire.close({ type: "S", name: statement.name });
      wire.parse(statement);
    }
    wire.bind({ statement: statement.name, values });
    if (!known) wire.describe({ type: "P" });
    wire.execute({});
  }

  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns[this.#completed] = message.fields.map(({ name, dataTypeID }) => ({
      name,
      parse: columnTypes.getTypeParser(dataTypeID, "text"),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      this.#columns[this.#completed]?.forEach(({ name, parse }, index) => {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : parse(text);
      });
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#results[this.#completed]?.push(row);
  }

  handleCommandComplete(): void {
    this.#completed += 1;
  }

  handleReadyForQuery(connection: unknown): void {
    const wire = connection as Wire;
    const prepared = PREPARED.get(wire) ?? new Map<string, readonly Column[]>();
    PREPARED.set(wire, prepared);
    this.#steps.forEach(({ statement }, index) => {
      prepared.set(statement.name, this.#columns[index] ?? []);
    });
    if (this.#unreadable) this.callback(this.#unreadable);
    else this.callback(null, this.#results);
  }

  handleError(error: Error, connection: unknown): void {
    // Unknown which statements are still prepared: prepare all of them again.
    const prepared = PREPARED.get(connection as Wire);
    for (const { statement } of this.#steps) prepared?.delete(statement.name);
    this.callback(error);
  }
}
