import type { Fragment } from "./sql-builder.ts";
import { type Statement, statement } from "./statement.ts";

/** Sends a hint to all processes; in a transaction it leaves with the commit. */
export const NOTIFY = statement("notify", "select pg_notify($1, $2)");

export interface Queryable {
  /** Runs a named statement. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement composed of fragments; the name says what it is for. */
  queryFragment<Row>(
    name: string,
    fragment: Fragment,
    options?: { readonly acrossShards?: string },
  ): Promise<Row[]>;
}

/** A transaction. Only `Database.tx` makes one, so what takes a Tx cannot run outside. */
export interface Tx extends Queryable {
  readonly isTransaction: true;
}

/** A transaction whose statements need not wait for each other. */
export interface PipelinedTx extends Tx {
  /** Sends a statement whose rows nobody needs; when it fails, so does the transaction. */
  send(statement: Statement, values: readonly unknown[]): void;
}

/** One statement of a transaction that is sent as a whole. */
export interface Step {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}
