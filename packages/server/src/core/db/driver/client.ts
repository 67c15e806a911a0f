import pg from "pg";
import { afterReading } from "../platform/clock.ts";
import { READ_TIMEOUT } from "./failures.ts";
import type { HomeGuard } from "./home.ts";
import type { Hosts } from "./hosts.ts";
import type { SessionSettings } from "./profiles.ts";

/** Where connections go, and who looks at them before they are used. */
export interface Door {
  readonly hosts: Hosts;
  readonly guard: HomeGuard | null;
}

/**
 * A client that goes to whichever address is the primary, sets its session, and is looked at by the
 * guard, all before anybody uses it. The settings are statements of their own and not a part of the
 * start-up packet, which poolers do not pass on.
 */
export function clientClass(door: Door, settings: SessionSettings): typeof pg.Client {
  const names = Object.keys(settings);
  const text = `select ${names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`).join(", ")}`;
  const values = names.flatMap((name) => [name, settings[name]]);

  class CheckedClient extends pg.Client implements LimitedClient {
    readonly answerMsMax: number | null;
    readonly #tried: ReturnType<Hosts["current"]>;

    constructor(config?: string | pg.ClientConfig) {
      const tried = door.hosts.current();
      const { query_timeout: answerMsMax, ...rest } = config as pg.ClientConfig;
      super({ ...rest, ...tried.config });
      this.answerMsMax = answerMsMax ?? null;
      this.#tried = tried;
      surviveBreak(this);
    }

    override connect(): Promise<pg.Client>;
    override connect(
      callback: ((error: Error) => void) | ((error: null, c: pg.Client) => void),
    ): void;
    override connect(callback?: unknown): Promise<pg.Client> | undefined {
      const connected = this.#open();
      if (callback === undefined) return connected;
      // What the pool gives; it looks at the error alone.
      const hear = callback as (error: Error | null) => void;
      connected.then(() => hear(null), hear);
      return undefined;
    }

    // biome-ignore lint/suspicious/noExplicitAny: in all the forms that the driver knows
    override query(...given: any[]): any {
      const asked: unknown = Reflect.apply(super.query, this, given);
      // A flight is told by its callback, and has its limit from there.
      return asked instanceof Promise ? withinLimit(this, asked) : asked;
    }

    async #open(): Promise<pg.Client> {
      try {
        await super.connect();
        await Promise.all([
          names.length > 0 ? this.query(text, values) : null,
          door.guard?.check(this),
        ]);
        return this;
      } catch (error) {
        this.#tried.failed();
        await super.end().catch(() => {});
        throw error;
      }
    }
  }
  return CheckedClient;
}

/** One connection for one piece of work, closed after it. */
export async function connected<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  surviveBreak(client);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * A connection that breaks fails the statements on it, or the next one. Where none is under way it is
 * told by an event, which would end the process if nobody listened.
 */
function surviveBreak(client: pg.Client): void {
  client.on("error", () => {});
}

/** A client whose answers are waited for no longer than this. */
interface LimitedClient {
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
function withinLimit<T>(client: pg.ClientBase, asked: Promise<T>): Promise<T> {
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
