import { PORT_REQUEST_MOVES, portRequestMachine } from "@longwave/contract";
import { comesFrom, isIn } from "../../core/db/driver/guards.ts";
import { statement } from "../../core/db/driver/statement.ts";

const { submit, set_foc, complete, reject, reopen } = PORT_REQUEST_MOVES;
/** The request can still add the number to the account. */
const OPEN = portRequestMachine.states.filter((state) =>
  reject.from.some((from) => from === state),
);

// A date as a string: a timestamp would depend on the time zone.
export const PORT_REQUEST_COLUMNS = `id, account_id, shard, phone_number, status, reason,
  foc_date, provider, pool_ids, created_at, updated_at`;

// Returns no row when the number has an open request.
export const insertPortRequest = statement(
  "insert_port_request",
  `insert into port_requests (id, account_id, shard, phone_number, status, provider, pool_ids, created_at, updated_at)
   values ($1, $2, $3, $4, 'requested', $5, $6, $7, $7)
   on conflict (phone_number) where ${isIn("status", OPEN)} do nothing
   returning ${PORT_REQUEST_COLUMNS}`,
);

export const findPortRequest = statement(
  "find_port_request",
  `select ${PORT_REQUEST_COLUMNS} from port_requests where account_id = $1 and id = $2`,
);

export const findAnyPortRequest = statement(
  "find_any_port_request",
  `select ${PORT_REQUEST_COLUMNS} from port_requests where id = $1`,
);

export const lockPortRequest = statement(
  "lock_port_request",
  `select ${PORT_REQUEST_COLUMNS} from port_requests where id = $1 for update`,
);

export const submitPortRequest = statement(
  "submit_port_request",
  `update port_requests set status = '${submit.to}', updated_at = $2
    where id = $1 and ${comesFrom("status", submit)}
   returning ${PORT_REQUEST_COLUMNS}`,
  { moves: [submit] },
);

export const setFoc = statement(
  "set_port_request_foc",
  `update port_requests set status = '${set_foc.to}', updated_at = $2, foc_date = $3::date
    where id = $1 and ${comesFrom("status", set_foc)}
   returning ${PORT_REQUEST_COLUMNS}`,
  { moves: [set_foc] },
);

export const completePortRequest = statement(
  "complete_port_request",
  `update port_requests set status = '${complete.to}', updated_at = $2, number_id = $3
    where id = $1 and ${comesFrom("status", complete)}
   returning ${PORT_REQUEST_COLUMNS}`,
  { moves: [complete] },
);

export const rejectPortRequest = statement(
  "reject_port_request",
  `update port_requests set status = '${reject.to}', updated_at = $2, reason = $3, foc_date = null
    where id = $1 and ${comesFrom("status", reject)}
   returning ${PORT_REQUEST_COLUMNS}`,
  { moves: [reject] },
);

export const reopenPortRequest = statement(
  "reopen_port_request",
  `update port_requests set status = '${reopen.to}', updated_at = $2, reason = null
    where id = $1 and ${comesFrom("status", reopen)}
   returning ${PORT_REQUEST_COLUMNS}`,
  { moves: [reopen] },
);
