import { statement } from "../../../core/db/driver/statement.ts";
import type { CallbackKind } from "../carrier.ts";

/** Progress of polling one list. */
export interface PollRow {
  readonly page: string | null;
  readonly round_since: number | null;
  readonly round_began: number | null;
  readonly complete_until: number | null;
}

export const findPoll = statement(
  "find_carrier_poll",
  `select page, round_since, round_began, complete_until from carrier_polls
    where carrier = $1 and kind = $2`,
);

/** Latest poll of one list. */
export interface PollStateRow {
  readonly carrier: string;
  readonly kind: CallbackKind;
  readonly polled_at: number;
  readonly last_error: string | null;
}

export const readPolls = statement(
  "read_carrier_polls",
  "select carrier, kind, polled_at, last_error from carrier_polls where carrier = any($1::text[])",
);

/** Two processes that poll for a moment, while a bind changes its owner, overwrite each other. */
export const savePoll = statement(
  "save_carrier_poll",
  `insert into carrier_polls
     (carrier, kind, page, round_since, round_began, complete_until, polled_at, last_error)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (carrier, kind) do update
      set page = excluded.page, round_since = excluded.round_since, round_began = excluded.round_began,
          complete_until = excluded.complete_until, polled_at = excluded.polled_at,
          last_error = excluded.last_error`,
);
