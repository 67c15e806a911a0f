import pg from "pg";
import { limitAnswer } from "./client.ts";
import { columnTypes } from "./profiles.ts";
import type { Statement, Step } from "./statement.ts";

/**
 * Statements that travel together: PostgreSQL takes all that comes before one Sync as one
 * transaction, so neither a begin nor a commit is sent, and the answers come back in one piece. Each
 * statement still sees what was committed before it began, as in any transaction.
 */
export function fly(client: pg.ClientBase, steps: readonly Step[]): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const forgo = limitAnswer(client, reject);
    client.query(
      new Flight(steps, (error, results) => {
        forgo();
        if (error) reject(error);
        else resolve(results as unknown[][]);
      }),
    );
  });
}

/** How one column of a statement's rows is read. */
interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** What of the driver's connection a flight uses. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: "P" }): void;
  execute(message: object): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
}

/** The statements a connection is known to have prepared, and how their rows are read. */
const PREPARED = new WeakMap<Wire, Map<string, readonly Column[]>>();

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } })
  .utils;

type Arrived = (error: Error | null, results?: unknown[][]) => void;

/** The driver's own kind of query, so that it may share a connection with others. */
class Flight extends pg.Query {
  callback: Arrived;
  readonly #steps: readonly Step[];
  readonly #results: unknown[][];
  readonly #columns: (readonly Column[])[];
  #arrived = 0;
  #unreadable: Error | null = null;

  constructor(steps: readonly Step[], callback: Arrived) {
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
      // Before anything is sent: half a flight would be committed as a whole.
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
      // It may be there all the same, from a flight that failed: to close what is not is no error.
      wire.close({ type: "S", name: statement.name });
      wire.parse(statement);
    }
    wire.bind({ statement: statement.name, values });
    if (!known) wire.describe({ type: "P" });
    wire.execute({});
  }

  handleRowDescription(message: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns[this.#arrived] = message.fields.map(({ name, dataTypeID }) => ({
      name,
      parse: columnTypes.getTypeParser(dataTypeID, "text"),
    }));
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      this.#columns[this.#arrived]?.forEach(({ name, parse }, index) => {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : parse(text);
      });
    } catch (error) {
      this.#unreadable = error as Error;
    }
    this.#results[this.#arrived]?.push(row);
  }

  handleCommandComplete(): void {
    this.#arrived += 1;
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
    // Which of them are still prepared, and as what, is not known: they are prepared anew.
    const prepared = PREPARED.get(connection as Wire);
    for (const { statement } of this.#steps) prepared?.delete(statement.name);
    this.callback(error);
  }
}
