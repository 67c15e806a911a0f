import type pg from "pg";
import { afterReading } from "../platform/clock.ts";
import { READ_TIMEOUT } from "./failures.ts";

/** A client whose answers are waited for no longer than this. */
export interface LimitedClient {
  readonly answerMsMax: number | null;
}

/** What of the driver's client the limit of time uses. */
interface Wired {
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * The limit of time of a statement, kept here and not by the driver, which would give up and close the connection
 * before it reads the answer that came while the process was stopped: nobody would hand over texts that were
 * committed. What is still waited for then breaks the connection, as others wait behind it. Answers what ends the
 * limit.
 */
export function limitAnswer(client: pg.ClientBase, giveUp: (error: Error) => void): () => void {
  const { answerMsMax, connection } = client as unknown as Partial<LimitedClient> & Wired;
  if (!answerMsMax) return () => {};
  return afterReading(answerMsMax, () => {
    giveUp(new Error(READ_TIMEOUT));
    connection.stream.destroy();
  });
}

/** The same for what was asked already. */
export function withinLimit<T>(client: pg.ClientBase, asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const forgo = limitAnswer(client, reject);
    asked.then(
      (answer) => {
        forgo();
        resolve(answer);
      },
      (error: unknown) => {
        forgo();
        reject(error);
      },
    );
  });
}
