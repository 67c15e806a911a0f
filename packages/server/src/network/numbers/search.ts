import {
  type AreaCode,
  type AvailableNumber,
  findAreaCode,
  type Mode,
  microsToUsd,
  Problem,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { rateCentreOf } from "./geo/rate-centre-of.ts";
import { monthMicros } from "./number-row.ts";
import { regionsOf } from "./purchase.ts";
import { fictionalNumbers, type SandboxNumber, sandboxAreaCodes } from "./sandbox.ts";
import { findHeldPhones } from "./sql.ts";

interface Filters {
  readonly area_code?: string | undefined;
  readonly contains?: string | undefined;
  readonly locality?: string | undefined;
  readonly region?: string | undefined;
}

type Query = Filters & { readonly limit?: number; readonly cursor?: string };

const CANDIDATES_PER_READ = 500;

/** Numbers that this key could buy, in numeric order. */
export async function searchAvailable(
  deps: Base,
  account: AccountRow,
  mode: Mode,
  query: Query,
): Promise<PageAnswer<AvailableNumber>> {
  if (query.area_code !== undefined) checkAreaCode(deps, query.area_code);
  const { area_code, contains } = query;
  const locality = query.locality?.toLowerCase();
  const region = query.region?.toLowerCase();
  const filters = { area_code, contains, locality, region };
  const scope = { list: `numbers.available.${mode}`, owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const after = page.after ? String(page.after[0]) : null;
  const read = mode === "live" ? readStock : readSandbox;
  const rows = await read(deps, account, filters, after, page.limit + 1);
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
  filters: Filters,
  after: string | null,
  count: number,
): Promise<AvailableNumber[]> {
  type Row = Omit<AvailableNumber, "object" | "monthly_price" | "mode">;
  const rows = await deps.db.query<Row>(
    composed(
      "list_stock",
      sql`select phone_number, type, country, region, locality, area_code from inventory_numbers
         where ${join(stockConditions(filters, after), " and ")}
         order by area_code, phone_number limit ${count}`,
    ),
  );
  return rows.map((row) => ({
    object: "available_number",
    ...row,
    monthly_price: microsToUsd(monthMicros(deps, { mode: "live", ...row })),
    mode: "live",
  }));
}

/** Orders by area code first because every index does; the result is numeric order. */
function stockConditions(filters: Filters, after: string | null): Fragment[] {
  const { area_code, contains, locality, region } = filters;
  const conditions = [raw("number_id is null")];
  if (after !== null) {
    conditions.push(sql`(area_code, phone_number) > (${after.slice(2, 5)}, ${after})`);
  }
  if (area_code !== undefined) conditions.push(sql`area_code = ${area_code}`);
  if (locality !== undefined) conditions.push(sql`lower(locality) = lower(${locality}::text)`);
  if (region !== undefined) conditions.push(sql`lower(region) = lower(${region}::text)`);
  if (contains === undefined) return conditions;
  conditions.push(sql`substr(phone_number, 3) like ${`%${contains}%`}`);
  if (contains.length >= GRAM_DIGITS) {
    conditions.push(sql`grams @> ${gramsOf(contains)}::smallint[]`);
  }
  return conditions;
}

/** Fictional numbers less the account's own, read until the page is full. */
async function readSandbox(
  deps: Base,
  account: AccountRow,
  filters: Filters,
  after: string | null,
  count: number,
): Promise<AvailableNumber[]> {
  const areas = sandboxAreaCodes(regionsOf(deps).extraRegions).filter((area) =>
    fits(area, filters),
  );
  const candidates = fictionalNumbers(areas, after);
  const free: AvailableNumber[] = [];
  while (free.length < count) {
    const some = take(candidates, CANDIDATES_PER_READ, filters.contains ?? "");
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

/** All fictional numbers of an area code have one rate centre. */
function fits({ code }: AreaCode, { area_code, locality, region }: Filters): boolean {
  const rateCentre = rateCentreOf(`+1${code}5550100`);
  return (
    (area_code ?? code) === code &&
    isSame(locality ?? rateCentre.locality, rateCentre.locality) &&
    isSame(region ?? rateCentre.region, rateCentre.region)
  );
}

function isSame(wanted: string | null, found: string | null): boolean {
  return wanted?.toLowerCase() === found?.toLowerCase();
}

function take(numbers: Generator<SandboxNumber>, count: number, contains: string): SandboxNumber[] {
  const taken: SandboxNumber[] = [];
  while (taken.length < count) {
    const next = numbers.next();
    if (next.done) break;
    if (next.value.phone_number.includes(contains, 2)) taken.push(next.value);
  }
  return taken;
}

function presentSandbox({ phone_number, area }: SandboxNumber): AvailableNumber {
  return {
    object: "available_number",
    phone_number,
    type: "local",
    country: area.country,
    ...rateCentreOf(phone_number),
    area_code: area.code,
    monthly_price: 0,
    mode: "test",
  };
}

/** Digits per gram of the index. Shorter searches match so many numbers that they need no index. */
const GRAM_DIGITS = 4;

/** Every run of four digits as a number, without repeats. */
export function gramsOf(digits: string): number[] {
  const grams = new Set<number>();
  for (let start = 0; start + GRAM_DIGITS <= digits.length; start += 1) {
    grams.add(Number(digits.slice(start, start + GRAM_DIGITS)));
  }
  return [...grams];
}
