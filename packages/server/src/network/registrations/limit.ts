import type { NetworkLimits } from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { type Changer, recordRegistration } from "./audit.ts";
import type { RegistrationsDeps } from "./deps.ts";
import type { RegistrationRow, StoredLimits } from "./registration-row.ts";
import { REGISTRATION_COLUMNS } from "./sql.ts";

/** Limits as requests and registries give them. */
export interface GivenLimits {
  readonly network: string;
  readonly segments_per_minute?: number | null | undefined;
  readonly segments_per_day?: number | null | undefined;
}

/** Stores what networks granted a locked registration. */
export async function storeLimits(
  deps: RegistrationsDeps,
  tx: Tx,
  row: RegistrationRow,
  {
    by,
    given,
    changer,
  }: Pick<StoredLimits, "by"> & {
    readonly given: readonly GivenLimits[];
    readonly changer: Changer;
  },
): Promise<RegistrationRow> {
  const networks = given.map(limitsOf);
  const limits: StoredLimits = { by, networks };
  const [after] = await tx.query<RegistrationRow>(updateLimits, [
    row.shard,
    row.account_id,
    row.id,
    JSON.stringify(limits),
    new Date(deps.clock.now()),
  ]);
  await recordRegistration(deps, tx, row, "registration.limited", changer, {
    limits: { from: row.limits?.networks ?? [], to: networks },
  });
  await notify(tx, "longwave_cache", row.account_id);
  return expect(after, "a locked registration is gone");
}

function limitsOf({
  network,
  segments_per_minute = null,
  segments_per_day = null,
}: GivenLimits): NetworkLimits {
  return { network, segments_per_minute, segments_per_day };
}

const updateLimits = statement(
  "update_registration_limits",
  `update registrations set limits = $4, updated_at = $5
    where shard = $1 and account_id = $2 and id = $3
   returning ${REGISTRATION_COLUMNS}`,
);
