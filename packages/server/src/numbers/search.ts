import { type AvailableNumber, findAreaCode, type Mode, Problem } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../api/pages.ts";
import type { Base } from "../base.ts";
import { composed, sql } from "../db/sql-builder.ts";

import { monthlyPrice } from "./number-row.ts";
import { regionsOf } from "./purchase.ts";
import { fictionalNumbers, type SandboxNumber, sandboxAreaCodes } from "./sandbox.ts";
import { findHeldPhones } from "./sql.ts";

interface Query {
  readonly area_code?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const CANDIDATES_PER_READ = 500;

/** Numbers that this key could buy, in the order of the numbers. */
export async function searchAvailable(
  deps: Base,
  account: AccountRow,
  mode: Mode,
  query: Query,
): Promise<PageAnswer<AvailableNumber>> {
  if (query.area_code !== undefined) checkAreaCode(deps, query.area_code);
  const scope = {
    list: `numbers.available.${mode}`,
    owner: account.id,
    filters: { area_code: query.area_code },
  };
  const page = pageRequest(deps.secrets, scope, query);
  const after = page.after ? String(page.after[0]) : null;
  const read = mode === "live" ? readStock : readSandbox;
  const rows = await read(deps, account, query.area_code, after, page.limit + 1);
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.phone_number],
    (row) => row,
  );
}

function checkAreaCode(deps: Base, code: string): void {
  const area = findAreaCode(code);
  const isTollFree = area?.kind === "toll_free";
  const { extraRegions } = regionsOf(deps);
  if (isTollFree || sandboxAreaCodes(extraRegions).some((known) => known.code === code)) return;
  throw new Problem("invalid_request", `${code} is not an area code in use in the US or Canada.`, {
    param: "area_code",
  });
}

async function readStock(
  deps: Base,
  _account: AccountRow,
  areaCode: string | undefined,
  after: string | null,
  count: number,
): Promise<AvailableNumber[]> {
  type Row = Omit<AvailableNumber, "object" | "monthly_price" | "mode">;
  const inArea = areaCode === undefined ? sql`` : sql`and area_code = ${areaCode}`;
  const rows = await deps.db.query<Row>(
    composed(
      "list_stock",
      sql`select phone_number, type, country, region, locality, area_code from inventory_numbers
         where number_id is null and phone_number > ${after ?? ""} ${inArea}
         order by phone_number limit ${count}`,
    ),
  );
  return rows.map((row) => ({
    object: "available_number",
    ...row,
    monthly_price: monthlyPrice("live"),
    mode: "live",
  }));
}

/** All fictional numbers less those the account holds, read until the page is full. */
async function readSandbox(
  deps: Base,
  account: AccountRow,
  areaCode: string | undefined,
  after: string | null,
  count: number,
): Promise<AvailableNumber[]> {
  const all = sandboxAreaCodes(regionsOf(deps).extraRegions);
  const areas = areaCode === undefined ? all : all.filter((area) => area.code === areaCode);
  const candidates = fictionalNumbers(areas, after);
  const free: AvailableNumber[] = [];
  while (free.length < count) {
    const some = take(candidates, CANDIDATES_PER_READ);
    if (some.length === 0) break;
    const phones = some.map((one) => one.phone_number);
    const rows = await deps.db.query<{ phone_number: string }>(findHeldPhones, [
      account.id,
      phones,
    ]);
    const held = new Set(rows.map((row) => row.phone_number));
    free.push(...some.filter((one) => !held.has(one.phone_number)).map(presentSandbox));
  }
  return free.slice(0, count);
}

function take(numbers: Generator<SandboxNumber>, count: number): SandboxNumber[] {
  const taken: SandboxNumber[] = [];
  while (taken.length < count) {
    const next = numbers.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

function presentSandbox({ phone_number, area }: SandboxNumber): AvailableNumber {
  return {
    object: "available_number",
    phone_number,
    type: "local",
    country: area.country,
    region: area.region,
    locality: null,
    area_code: area.code,
    monthly_price: monthlyPrice("test"),
    mode: "test",
  };
}
