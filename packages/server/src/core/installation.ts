import type { Database } from "./db/driver/database.ts";
import { statement } from "./db/driver/statement.ts";
import type { Clock } from "./platform/clock.ts";
import type { Secrets } from "./platform/secrets.ts";

/** The secret key does not fit the database: continuing would make encrypted data unreadable. */
export class WrongRootKey extends Error {
  constructor() {
    super(
      "The secret key is not the one this database was set up with. Restore LONGWAVE_SECRET_KEY, or the file secret-key in the data folder.",
    );
    this.name = "WrongRootKey";
  }
}

const insertInstallation = statement(
  "insert_installation",
  `insert into installation (shards, root_key_check, created_at) values ($1, $2, $3)
   on conflict do nothing`,
);

const readInstallation = statement(
  "read_installation",
  "select shards, root_key_check from installation",
);

/**
 * Serializes first-run setup and creation of the first user, because processes that share a database start together.
 */
export const lockInstallation = statement(
  "lock_installation",
  "select only_row from installation for update",
);

/** Creates the installation's only row on first use; checks the secret key on every start. */
export async function openInstallation(
  db: Database,
  clock: Clock,
  secrets: Secrets,
  shards: number,
): Promise<{ shards: number }> {
  const check = secrets.hmac("root-key-check", "longwave");
  await db.query(insertInstallation, [shards, check, new Date(clock.realNow())]);
  const [row] = await db.query<{ shards: number; root_key_check: Buffer }>(readInstallation, []);
  if (!row?.root_key_check.equals(check)) throw new WrongRootKey();
  return { shards: row.shards };
}
