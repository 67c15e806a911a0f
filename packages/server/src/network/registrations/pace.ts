import { classifyPhone } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { type AccountRef, createAccountCache } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { nextPacificDayMs, pacificDay } from "./pacific-day.ts";
import type { StoredLimits } from "./registration-row.ts";

const CACHED_MAX = 20_000;
const MINUTE_MS = 60_000;

/** Smallest rate and cap of all networks: nothing tells the network of a recipient. */
interface Limits {
  readonly segmentsPerMinute: number | null;
  readonly segmentsPerDay: number | null;
}

const NONE: Limits = { segmentsPerMinute: null, segmentsPerDay: null };

/** A message about to leave from a number of a registration. */
export interface PacedMessage {
  readonly to: string;
  readonly segments: number;
  /** Codes and automatic replies count, and never wait: they would come too late. */
  readonly waits: boolean;
}

/** Keeps the numbers of a registration to the rates and daily caps that networks granted it. */
export interface RegistrationPace {
  /** Segments a second; null without a limit. */
  ratePerSecond(account: AccountRef, registrationId: string | null): Promise<number | null>;
  /** Counts a message that leaves now; otherwise the time at which it may ask again, in ms. */
  take(
    account: AccountRef,
    registrationId: string | null,
    message: PacedMessage,
  ): Promise<number | null>;
}

export function createRegistrationPace({
  db,
  clock,
  notifications,
}: Pick<Base, "db" | "clock" | "notifications">): RegistrationPace {
  const cache = createAccountCache<Limits>({
    ...{ clock, notifications, entriesMax: CACHED_MAX },
    read: async (account, id) => {
      const [row] = await db.query<LimitsRow>(findLimits, [account.shard, account.id, id]);
      return smallest(row?.limits ?? null);
    },
  });
  const limitsOf = (account: AccountRef, id: string | null) =>
    id === null ? NONE : cache.find(account, id);
  return {
    async ratePerSecond(account, id) {
      const perMinute = (await limitsOf(account, id))?.segmentsPerMinute ?? null;
      return perMinute === null ? null : perMinute / 60;
    },
    async take(account, id, { to, segments, waits }) {
      const { segmentsPerMinute, segmentsPerDay } = (await limitsOf(account, id)) ?? NONE;
      const isLimited = segmentsPerMinute !== null || segmentsPerDay !== null;
      if (!isLimited || classifyPhone(to).country !== "US") return null;
      const now = clock.now();
      const key = [account.shard, account.id, id];
      const busyMs = segmentsPerMinute === null ? 0 : (segments * MINUTE_MS) / segmentsPerMinute;
      const [taken] = await db.query(takePace, [
        ...key,
        new Date(now),
        new Date(now + Math.ceil(busyMs)),
        pacificDay(now),
        segments,
        segmentsPerDay,
        waits,
      ]);
      if (taken) return null;
      const [row] = await db.query<{ free_at: number }>(findPace, key);
      const freeAtMs = row?.free_at ?? now;
      return freeAtMs > now ? freeAtMs : nextPacificDayMs(now);
    },
  };
}

interface LimitsRow {
  readonly limits: StoredLimits | null;
}

function smallest(limits: StoredLimits | null): Limits {
  const networks = limits?.networks ?? [];
  return {
    segmentsPerMinute: least(networks.map((one) => one.segments_per_minute)),
    segmentsPerDay: least(networks.map((one) => one.segments_per_day)),
  };
}

function least(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (least, value) => (value === null || (least !== null && least <= value) ? least : value),
    null,
  );
}

const findLimits = statement(
  "find_registration_limits",
  "select limits from registrations where shard = $1 and account_id = $2 and id = $3",
);

const findPace = statement(
  "find_registration_pace",
  `select free_at from registration_paces
    where shard = $1 and account_id = $2 and registration_id = $3`,
);

/**
 * Counts a message unless it must wait; returns no row if it must. The first message of a day always leaves, even
 * one with more segments than the cap.
 */
const takePace = statement(
  "take_registration_pace",
  `insert into registration_paces as p (shard, account_id, registration_id, free_at, day, segments)
   values ($1, $2, $3, $5, $6::date, $7)
   on conflict (shard, account_id, registration_id) do update
      set free_at = greatest(p.free_at, excluded.free_at), day = excluded.day,
          segments = excluded.segments + case when p.day = excluded.day then p.segments else 0 end
    where not $9::boolean
       or p.free_at <= $4
      and ($8::integer is null or p.day <> excluded.day or p.segments + excluded.segments <= $8)
   returning 1 as taken`,
);
