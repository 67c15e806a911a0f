import {
  type AuditAction,
  formatTimestamp,
  microsToUsd,
  type NumberType,
  PRICES_MAX,
  type Price,
  type PriceBasis,
  type PriceItem,
  Problem,
  parseTimestamp,
  priceMicrosOf,
  usdToMicros,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { PRICES_CHANGED } from "../../core/prices.ts";
import type { Operator } from "../../http/api/caller.ts";
import { type Context, checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";

type Names = "operator.prices.create" | "operator.prices.list" | "operator.prices.delete";

interface PriceRow {
  readonly id: string;
  readonly item: PriceItem;
  readonly country: string | null;
  readonly number_type: NumberType | null;
  readonly basis: PriceBasis;
  readonly amount_micros: number;
  readonly margin_micros: number;
  readonly margin_percent: number;
  readonly note: string | null;
  readonly effective_from: number;
  readonly created_at: number;
  readonly ended_at: number | null;
  /** Whether a later price of the same item, country and number type has begun. */
  readonly is_replaced: boolean;
}

/** The lock makes the count hold for two creations at once. */
const lockPrices = statement(
  "lock_prices",
  "select pg_advisory_xact_lock(hashtext('prices')) is null as locked",
);
const countPrices = statement(
  "count_prices",
  "select count(*)::int as prices from prices where ended_at is null",
);
const insertPrice = statement(
  "insert_price",
  `insert into prices (id, item, country, number_type, basis, amount_micros, margin_micros, margin_percent, note,
     effective_from, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   returning *, false as is_replaced`,
);
const endPrice = statement(
  "end_price",
  `update prices set ended_at = $2 where id = $1 and ended_at is null
   returning *, false as is_replaced`,
);

/** The operator's price table. */
export const operatorPriceHandlers: HandlersOf<Names> = {
  "operator.prices.create": checking(
    ({ clock }, { body }) => readPrice(body, clock.now()),
    async (context, { body }) => {
      const { deps } = context;
      const answer = await context.transact(async (tx) => {
        const nowMs = deps.clock.now();
        const price = readPrice(body, nowMs);
        await tx.query(lockPrices, []);
        const [count] = await tx.query<{ prices: number }>(countPrices, []);
        if ((count?.prices ?? 0) >= PRICES_MAX) throw tooMany();
        const [row] = await tx.query<PriceRow>(insertPrice, [
          deps.ids.makeAt(nowMs),
          body.item,
          body.country ?? null,
          body.number_type ?? null,
          price.basis,
          price.amount_micros,
          price.margin_micros,
          price.margin_percent,
          body.note ?? null,
          new Date(price.effectiveFromMs),
          new Date(nowMs),
        ]);
        return { status: 201 as const, body: await change(context, tx, row, "price.created") };
      });
      await deps.prices.reload();
      return answer;
    },
  ),

  "operator.prices.list": async ({ deps }, { query }) => {
    const { item } = query;
    const scope = { list: "operator.prices.list", owner: "operator", filters: { item } };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`true`];
    if (item) conditions.push(sql`p.item = ${item}`);
    if (page.after) conditions.push(sql`p.id < ${page.after[0]}::uuid`);
    const now = new Date(deps.clock.now());
    const rows = await deps.db.query<PriceRow>(
      composed(
        "list_prices",
        sql`select p.*, exists (
              select from prices n
               where n.item = p.item and n.country is not distinct from p.country
                 and n.number_type is not distinct from p.number_type and n.ended_at is null
                 and n.effective_from <= ${now}
                 and (n.effective_from, n.id) > (p.effective_from, p.id)) as is_replaced
             from prices p where ${join(conditions, " and ")}
            order by p.id desc limit ${page.limit + 1}`,
      ),
    );
    const keyOf = (row: PriceRow) => [row.id];
    const nowMs = deps.clock.now();
    const body = pageAnswer(deps.secrets, scope, page, rows, keyOf, (row) => present(row, nowMs));
    return { status: 200, body };
  },

  "operator.prices.delete": async (context, { params }) => {
    const { deps } = context;
    const answer = await context.transact(async (tx) => {
      const id = fromApiId("price", params.id);
      const values = [id, new Date(deps.clock.now())];
      const [row] = id ? await tx.query<PriceRow>(endPrice, values) : [];
      return { status: 200 as const, body: await change(context, tx, row, "price.ended") };
    });
    await deps.prices.reload();
    return answer;
  },
};

interface PriceInput {
  readonly item: PriceItem;
  readonly number_type?: NumberType | undefined;
  readonly basis?: PriceBasis | undefined;
  readonly amount_usd: number;
  readonly margin_usd?: number | undefined;
  readonly margin_percent?: number | undefined;
  readonly effective_from?: string | number | undefined;
}

function readPrice(input: PriceInput, nowMs: number) {
  const { basis = "fixed", margin_usd = 0, margin_percent = 0 } = input;
  if (basis === "fixed" && margin_usd !== 0) throw onlyWithCost("margin_usd");
  if (basis === "fixed" && margin_percent !== 0) throw onlyWithCost("margin_percent");
  if (input.item === "verification" && input.number_type !== undefined) {
    throw new Problem(
      "invalid_request",
      "A verification has one price for all types of numbers. Leave number_type out.",
      {
        param: "number_type",
      },
    );
  }
  return {
    basis,
    amount_micros: microsOf(input.amount_usd, "amount_usd"),
    margin_micros: microsOf(margin_usd, "margin_usd"),
    margin_percent,
    effectiveFromMs: effectiveFrom(input.effective_from, nowMs),
  };
}

function microsOf(usd: number, param: string): number {
  const micros = usdToMicros(usd);
  if (micros !== null) return micros;
  throw new Problem("invalid_request", `${param} has at most six decimals.`, { param });
}

function onlyWithCost(param: string): Problem {
  return new Problem(
    "invalid_request",
    `A fixed price has no margin. Leave ${param} out, or send basis: "carrier_cost".`,
    {
      param,
    },
  );
}

/** Prices never reach back: what was accepted keeps its price. */
function effectiveFrom(given: string | number | undefined, nowMs: number): number {
  if (given === undefined) return nowMs;
  const param = "effective_from";
  const ms = parseTimestamp(given);
  if (ms === null) {
    throw new Problem(
      "invalid_request",
      "effective_from is ISO 8601 with a zone, or epoch milliseconds.",
      { param },
    );
  }
  if (ms < nowMs) {
    throw new Problem(
      "invalid_request",
      "effective_from is in the past. Leave it out for a price that applies at once.",
      {
        param,
      },
    );
  }
  return ms;
}

/** Records the change in the installation's log and tells every process; 404 without a row. */
async function change(
  { deps, caller, ip }: Pick<Context<Operator, Base>, "deps" | "caller" | "ip">,
  tx: Tx,
  row: PriceRow | undefined,
  action: AuditAction,
): Promise<Price> {
  if (!row) {
    throw new Problem(
      "not_found",
      "There is no such price, or it has ended. GET /operator/v1/prices lists them.",
    );
  }
  const price = present(row, deps.clock.now());
  const { item, country, number_type, price_usd, effective_from } = price;
  await recordForInstallation(deps, tx, {
    action,
    actor: operatorActor(caller),
    targetId: price.id,
    changes: { item, country, number_type, price_usd, effective_from },
    ip,
  });
  await notify(tx, "longwave_cache", PRICES_CHANGED);
  return price;
}

function tooMany(): Problem {
  return new Problem(
    "limit_reached",
    `An installation has at most ${PRICES_MAX} prices that have not ended. End those that newer ones replace.`,
  );
}

function present(row: PriceRow, nowMs: number): Price {
  return {
    id: toApiId("price", row.id),
    object: "price",
    item: row.item,
    country: row.country,
    number_type: row.number_type,
    basis: row.basis,
    amount_usd: microsToUsd(row.amount_micros),
    margin_usd: microsToUsd(row.margin_micros),
    margin_percent: row.margin_percent,
    price_usd: microsToUsd(priceMicrosOf(row)),
    note: row.note,
    in_force: row.ended_at === null && row.effective_from <= nowMs && !row.is_replaced,
    effective_from: formatTimestamp(row.effective_from),
    ended_at: row.ended_at === null ? null : formatTimestamp(row.ended_at),
    created_at: formatTimestamp(row.created_at),
  };
}
