import pg from "pg";
import { afterReading } from "../../platform/clock.ts";
import type { IdentityGuard } from "./database-identity.ts";
import { READ_TIMEOUT } from "./failures.ts";
import type { Hosts } from "./hosts.ts";
import type { SessionSettings } from "./profiles.ts";

/** Addresses of the database, and the identity check of new connections. */
export interface ConnectTarget {
  readonly hosts: Hosts;
  readonly guard: IdentityGuard | null;
}

/**
 * Client class that connects to the current primary, sets the session and checks the database identity before first
 * use. Settings are SQL statements rather than startup parameters, because poolers drop those.
 */
export function clientClass(target: ConnectTarget, settings: SessionSettings): typeof pg.Client {
  const names = Object.keys(settings);
  const text = `select ${names.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`).join(", ")}`;
  const values = names.flatMap((name) => [name, settings[name]]);

  class CheckedClient extends pg.Client implements LimitedClient {
    readonly answerMsMax: number | null;
    readonly #tried: ReturnType<Hosts["current"]>;

    constructor(config?: string | pg.ClientConfig) {
      const tried = target.hosts.current();
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
      // The callback form, used by pg.Pool, which reads the error only.
      const done = callback as (error: Error | null) => void;
      connected.then(() => done(null), done);
      return undefined;
    }

    // biome-ignore lint/suspicious/noExplicitAny: in all the forms that the driver knows
    override query(...args: any[]): any {
      const pending: unknown = Reflect.apply(super.query, this, args);
      // A pipeline resolves through its callback and sets its own limit.
      return pending instanceof Promise ? withinLimit(this, pending) : pending;
    }

    async #open(): Promise<pg.Client> {
      try {
        await super.connect();
        await Promise.all([
          names.length > 0 ? this.query(text, values) : null,
          target.guard?.check(this),
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

/** Opens a connection for one piece of work and closes it afterwards. */
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
 * A broken connection fails its statements. An idle connection emits `error` instead, which would end the process
 * without a listener.
 */
function surviveBreak(client: pg.Client): void {
  client.on("error", () => {});
}

/** `answerMsMax`: ms a statement waits for its response. */
interface LimitedClient {
  readonly answerMsMax: number | null;
}

/** The socket of the driver's client, to break the connection. */
interface Wired {
  readonly connection: { readonly stream: { destroy(): void } };
}

/**
 * Response timeout of a statement. The driver's own `query_timeout` is off: after a suspended process it would close
 * the connection before reading a response that has arrived, and committed messages would never be submitted. A timeout
 * breaks the connection, because later statements queue behind it. Returns a function that cancels the timeout.
 */
export function limitAnswer(client: pg.ClientBase, giveUp: (error: Error) => void): () => void {
  const { answerMsMax, connection } = client as unknown as Partial<LimitedClient> & Wired;
  if (!answerMsMax) return () => {};
  return afterReading(answerMsMax, () => {
    giveUp(new Error(READ_TIMEOUT));
    connection.stream.destroy();
  });
}

/** Applies the response timeout to a statement already sent. */
function withinLimit<T>(client: pg.ClientBase, pending: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancelLimit = limitAnswer(client, reject);
    pending.then(
      (answer) => {
        cancelLimit();
        resolve(answer);
      },
      (error: unknown) => {
        cancelLimit();
        reject(error);
      },
    );
  });
}
