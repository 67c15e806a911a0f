import {
  type CarrierBind,
  type CarrierLink,
  type CarrierReload,
  formatTimestamp,
  Problem,
} from "@longwave/contract";
import { shiftMsOf } from "../../core/platform/clock.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { claimThenWork } from "../../http/idempotency/index.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import {
  type BindRow,
  CarriersFileError,
  callbackUrls,
  type Link,
  listBinds,
  type PollStateRow,
  readPolls,
  readTraffic,
  readUnowned,
  TRAFFIC_STEP_SECONDS,
  TRAFFIC_STEPS,
  type TrafficRow,
  type UnownedRow,
} from "../../network/carriers/index.ts";
import { liveNumbersIn } from "../../network/numbers/index.ts";

const NUMBERS_NAMED_MAX = 100;

/** Carrier links for the operator, and the reload of the carriers file. */
export const carrierHandlers: HandlersOf<
  "operator.carriers.list" | "operator.carriers.reload",
  CarriersDeps
> = {
  "operator.carriers.list": async ({ deps }, { query }) => {
    const scope = { list: "operator.carriers.list", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = (page.after?.[0] as number | undefined) ?? -1;
    const links = deps.carriers.links().map((link, position) => ({ link, position }));
    const rows = links.filter((row) => row.position > after).slice(0, page.limit + 1);
    const names = rows.map(({ link }) => link.config.name);
    const [binds, polls, traffic, unowned, numbers_without_carrier] = await Promise.all([
      deps.db.query<BindRow>(listBinds, [names]),
      deps.db.query<PollStateRow>(readPolls, [names]),
      deps.db.query<TrafficRow>(readTraffic, [names]),
      deps.db.query<UnownedRow>(readUnowned, [names]),
      liveNumbersIn(deps, deps.carriers.unserved(), NUMBERS_NAMED_MAX),
    ]);
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.position],
      ({ link }) => ({
        ...presentLink(link, binds, traffic, {
          publicUrl: deps.config.publicUrl,
          shiftMs: shiftMsOf(deps.clock),
        }),
        poll: presentPoll(link.config, polls),
        unowned_inbound: presentUnowned(unowned, link.config.name, "inbound"),
        unowned_receipts: presentUnowned(unowned, link.config.name, "receipt"),
      }),
    );
    return { status: 200, body: { ...body, numbers_without_carrier } };
  },
  "operator.carriers.reload": (context) =>
    claimThenWork(context, async () => ({
      status: 200 as const,
      body: await reload(context.deps),
    })),
};

async function reload({ reloadCarriers }: CarriersDeps): Promise<CarrierReload> {
  const { added, changed, removed, unchanged } = await withFileErrors(reloadCarriers);
  return {
    object: "carrier_reload",
    added: [...added],
    changed: [...changed],
    removed: [...removed],
    unchanged: [...unchanged],
  };
}

/** Turns mistakes of the carriers file into a refusal that names the place. */
export async function withFileErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CarriersFileError ? badFile(error) : error;
  }
}

/** `param` is the location of the first mistake, such as `carriers[1].bind`. */
function badFile({ file, problems }: CarriersFileError): Problem {
  const [place = "carriers"] = /^carriers[\w.[\]]*/.exec(problems[0] ?? "") ?? [];
  const sentences = problems.join(" ");
  const message = `${file}: ${sentences} Nothing was changed.`;
  return new Problem("invalid_request", message, { param: place });
}

/** State as the processes last reported it; this process's own binds as they are now. */
function presentLink(
  { carrier, config }: Link,
  rows: readonly BindRow[],
  traffic: readonly TrafficRow[],
  { publicUrl, shiftMs }: { readonly publicUrl: string | null; readonly shiftMs: number },
): Omit<CarrierLink, "poll" | "unowned_inbound" | "unowned_receipts"> {
  const { state, windowFree, ratePerSecond, lastError } = carrier.state();
  const own = carrier.bindStates?.() ?? new Map();
  const binds = rows.filter((row) => row.carrier === config.name);
  const { window, binds: bindCount } = windowOf(config);
  const elsewhere = binds.filter((row) => !own.has(row.bind));
  const freeElsewhere = elsewhere
    .filter((row) => row.state === "up")
    .reduce((free, row) => free + Math.max(0, window - row.in_flight), 0);
  return {
    object: "carrier",
    name: config.name,
    type: config.type,
    preset: config.type === "http" ? config.preset : null,
    callback_urls: callbackUrls(config, publicUrl),
    poll_seconds:
      config.type === "http" && config.http.poll ? config.http.poll.everyMs / 1_000 : null,
    numbers: config.numbers === "*" ? "*" : [...config.numbers],
    destinations: config.destinations === "*" ? "*" : [...config.destinations],
    priority: config.priority,
    state,
    window,
    window_total: window * bindCount,
    window_free: windowFree + freeElsewhere,
    rate: ratePerSecond,
    ...presentTraffic(traffic.find((row) => row.carrier === config.name)),
    last_error: lastError ?? elsewhere.find((row) => row.last_error)?.last_error ?? null,
    binds: binds.map((row) => presentBind(row, own.get(row.bind), shiftMs)),
  };
}

function presentPoll(config: Link["config"], rows: readonly PollStateRow[]): CarrierLink["poll"] {
  const poll = config.type === "http" ? config.http.poll : null;
  if (poll === null) return null;
  const kinds = (["receipts", "inbound"] as const).filter((kind) => poll[kind] !== null);
  const read = kinds.map((kind) =>
    rows.find((row) => row.carrier === config.name && row.kind === kind),
  );
  const failed = read.find((row) => row?.last_error != null);
  const times = read.flatMap((row) => row?.polled_at ?? []);
  return {
    polled_at: times.length < kinds.length ? null : formatTimestamp(Math.min(...times)),
    last_error: failed ? `${failed.kind}: ${failed.last_error}` : null,
  };
}

function presentUnowned(
  rows: readonly UnownedRow[],
  carrier: string,
  kind: UnownedRow["kind"],
): CarrierLink["unowned_inbound"] {
  const row = rows.find((one) => one.carrier === carrier && one.kind === kind);
  return {
    count: row?.items ?? 0,
    last_at: row ? formatTimestamp(row.last_at) : null,
    last_number: row?.last_number ?? null,
  };
}

function presentTraffic(
  row: TrafficRow | undefined,
): Pick<CarrierLink, "texts_per_second" | "recent_texts" | "receipt_rate"> {
  const counts = new Map(row?.steps_ago.map((steps, at) => [steps, row.accepted[at] ?? 0]));
  const ago = (steps: number) => counts.get(steps) ?? 0;
  const seconds = TRAFFIC_STEP_SECONDS + (row?.into_step_seconds ?? 0);
  return {
    texts_per_second: Math.round(((ago(0) + ago(1)) / seconds) * 10) / 10,
    recent_texts: Array.from({ length: TRAFFIC_STEPS }, (_, at) => ago(TRAFFIC_STEPS - 1 - at)),
    // Late receipts belong to messages before this window, so the ratio could exceed 1.
    receipt_rate: row?.expected ? Math.min(1, row.receipts / row.expected) : null,
  };
}

/** Binds are stored in real time and shown in service time, like everything beside them. */
function presentBind(
  row: BindRow,
  own: { state: BindRow["state"]; inFlight: number } | undefined,
  shiftMs: number,
): CarrierBind {
  return {
    state: own?.state ?? row.state,
    owner: row.owner,
    since: formatTimestamp(row.since + shiftMs),
    in_flight: own?.inFlight ?? row.in_flight,
    next_try_at: row.next_try_at === null ? null : formatTimestamp(row.next_try_at + shiftMs),
  };
}

/** Window size of a bind, and the number of binds. */
function windowOf(config: Link["config"]): { window: number; binds: number } {
  switch (config.type) {
    case "smpp":
      return config.smpp;
    case "http":
      return config.http;
    case "simulator":
      return { window: config.window, binds: 1 };
  }
}
