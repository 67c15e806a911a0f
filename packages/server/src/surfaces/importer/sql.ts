import { ACCOUNT_IMPORT_MOVES } from "@longwave/contract";
import { comesFrom, sqlLiteral } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";

const { finish, fail, cancel } = ACCOUNT_IMPORT_MOVES;

export const IMPORT_COLUMNS = `shard, account_id, id, provider, dry_run, status, phase, done, total, plan,
  error_code, error_message, created_at, ended_at`;

// Returns no row while another import of the account runs.
export const insertImport = statement(
  "insert_account_import",
  `insert into account_imports
     (shard, account_id, id, provider, dry_run, status, phase, done, plan, heartbeat_at, created_at)
   values ($1, $2, $3, $4, $5, 'running', 'reading', 0, $6, $7, $7)
   on conflict (shard, account_id) where status = 'running' do nothing
   returning ${IMPORT_COLUMNS}`,
);

export const findImport = statement(
  "find_account_import",
  `select ${IMPORT_COLUMNS} from account_imports where shard = $1 and account_id = $2 and id = $3`,
);

// Returns no row once the run was canceled or ended for lack of a heartbeat.
export const updateProgress = statement(
  "note_account_import",
  `update account_imports set phase = $4, done = $5, total = $6, heartbeat_at = $7
    where shard = $1 and account_id = $2 and id = $3 and status = 'running'
   returning id`,
);

export const finishImport = statement(
  "finish_account_import",
  `update account_imports
      set status = ${sqlLiteral(finish.to)}, phase = 'writing', done = $4, total = $4, plan = $5, ended_at = $6, heartbeat_at = $6
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", finish)}
   returning id`,
  { moves: [finish] },
);

export const failImport = statement(
  "fail_account_import",
  `update account_imports
      set status = ${sqlLiteral(fail.to)}, error_code = $4, error_message = $5, ended_at = $6, heartbeat_at = $6
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", fail)}
   returning id`,
  { moves: [fail] },
);

/** The running process notices at its next heartbeat. */
export const cancelImport = statement(
  "cancel_account_import",
  `update account_imports set status = ${sqlLiteral(cancel.to)}, ended_at = $4, heartbeat_at = $4
    where shard = $1 and account_id = $2 and id = $3 and ${comesFrom("status", cancel)}
   returning ${IMPORT_COLUMNS}`,
  { moves: [cancel] },
);

/** Ends runs without a heartbeat since $2: their process died. */
export const failWithoutHeartbeat = statement(
  "fail_silent_account_imports",
  `update account_imports
      set status = ${sqlLiteral(fail.to)}, error_code = 'interrupted', error_message = $3, ended_at = $4
    where shard = $1 and heartbeat_at < $2 and ${comesFrom("status", fail)}
   returning account_id, id`,
  { moves: [fail] },
);

export const findImportedPools = statement(
  "find_imported_pools",
  `select foreign_id, pool_id from imported_pools
    where shard = $1 and account_id = $2 and provider = $3`,
);

// Returns no row if another run has created the pool meanwhile.
export const rememberPool = statement(
  "remember_imported_pool",
  `insert into imported_pools (shard, account_id, provider, foreign_id, pool_id)
   values ($1, $2, $3, $4, $5)
   on conflict do nothing
   returning pool_id`,
);
