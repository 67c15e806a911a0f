import {
  formatTimestamp,
  type InventoryNumber,
  type NumberType,
  Problem,
  parseTextable,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import type { Base } from "../../core/base.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import type { InventoryDeps } from "./deps.ts";
import { rateCentreOf } from "./geo/rate-centre-of.ts";
import { regionsOf } from "./purchase.ts";
import { gramsOf } from "./search.ts";
import { insertStock } from "./sql.ts";

type Names = "operator.inventory.create" | "operator.inventory.list";

interface NewStock {
  readonly phone_number: string;
  readonly type: NumberType;
  readonly locality?: string;
  readonly region?: string;
  readonly carrier?: string;
}

interface StockRow {
  readonly id: string;
  readonly phone_number: string;
  readonly type: NumberType;
  readonly locality: string | null;
  readonly region: string | null;
  readonly carrier: string | null;
  readonly account_id: string | null;
  readonly resting: boolean;
  readonly created_at: number;
}

/** The operator's stock of live numbers. */
export const operatorInventoryHandlers: HandlersOf<Names, InventoryDeps> = {
  "operator.inventory.create": async ({ deps, caller, ip, transact }, { body }) => {
    const rows = await stockRows(deps, body.numbers);
    return transact(async (tx) => {
      const added = await tx.query(insertStock, [JSON.stringify(rows), new Date(deps.clock.now())]);
      const skipped = body.numbers.length - added.length;
      if (added.length > 0) {
        await recordForInstallation(deps, tx, {
          action: "inventory.loaded",
          actor: operatorActor(caller),
          targetId: "inventory",
          changes: { added: added.length },
          ip,
        });
      }
      return { status: 200 as const, body: { added: added.length, skipped } };
    });
  },

  "operator.inventory.list": async ({ deps }, { query }) => {
    const scope = {
      list: "operator.inventory.list",
      owner: "operator",
      filters: { status: query.status },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const conditions: Fragment[] = [sql`true`];
    if (query.status === "available") conditions.push(raw("i.number_id is null"));
    if (query.status === "sold") {
      conditions.push(raw("i.number_id is not null"), raw("i.cooldown_until is null"));
    }
    if (query.status === "resting") conditions.push(raw("i.cooldown_until is not null"));
    if (page.after) conditions.push(sql`i.id < ${page.after[0]}::uuid`);
    const rows = await deps.db.query<StockRow>(
      composed(
        "list_inventory",
        sql`select i.id, i.phone_number, i.type, i.locality, i.region, i.carrier, i.created_at,
                 i.cooldown_until is not null as resting, n.account_id
            from inventory_numbers i
            left join numbers n on n.id = i.number_id and i.cooldown_until is null
           where ${join(conditions, " and ")}
           order by i.id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], present);
    return { status: 200, body };
  },
};

/**
 * Stock rows, each number once. Rate centres come from the operator, else from the loaded numbering
 * data, else from the digits.
 */
async function stockRows(deps: InventoryDeps, numbers: readonly NewStock[]) {
  const given = new Map<string, ReturnType<typeof stockRow>>();
  for (const [index, one] of numbers.entries()) {
    const row = stockRow(deps, one, index);
    if (!given.has(row.phone_number)) given.set(row.phone_number, row);
  }
  const ranges = await deps.rangeRateCentres([...given.keys()]);
  return [...given.values()].map((row) => {
    const range = ranges.get(row.phone_number);
    const rateCentre = rateCentreOf(row.phone_number);
    return {
      ...row,
      region: row.region ?? range?.region ?? rateCentre.region,
      locality: row.locality ?? range?.locality ?? rateCentre.locality,
    };
  });
}

function stockRow(deps: Base, given: NewStock, index: number) {
  const phone = parseTextable(given.phone_number, regionsOf(deps));
  const param = `numbers[${index}].phone_number`;
  if (!phone.ok) throw new Problem("invalid_request", phone.reason, { param });
  if (phone.type === "test") {
    throw new Problem("invalid_request", `${phone.e164} is a test number, not a live one.`, {
      param,
    });
  }
  if (phone.type !== given.type) {
    throw new Problem("invalid_request", `${phone.e164} is a ${phone.type} number.`, {
      param: `numbers[${index}].type`,
    });
  }
  return {
    phone_number: phone.e164,
    id: deps.ids.make(),
    type: given.type,
    country: phone.country,
    region: given.region ?? null,
    locality: given.locality ?? null,
    area_code: phone.areaCode,
    carrier: given.carrier ?? null,
    grams: gramsOf(phone.e164.slice(2)),
  };
}

function present(row: StockRow): InventoryNumber {
  return {
    object: "inventory_number",
    phone_number: row.phone_number,
    type: row.type,
    locality: row.locality,
    region: row.region,
    carrier: row.carrier,
    status: row.resting ? "resting" : row.account_id === null ? "available" : "sold",
    account_id: row.account_id === null ? null : toApiId("account", row.account_id),
    created_at: formatTimestamp(row.created_at),
  };
}
