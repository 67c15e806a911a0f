import { counted } from "@longwave/contract/tables";
import type { Finding } from "./finding.ts";

const ANSWER_MS_MAX = 5_000;
const CLOCK_SECONDS_MAX = 5;

export interface ServerProbe {
  readonly isRunning: boolean;
  readonly finding: Finding;
  readonly clock: readonly Finding[];
}

/** Probes a server, and reads its clock. */
export async function askServer(url: string): Promise<ServerProbe> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    await response.body?.cancel();
    const isRunning = response.ok;
    const detail = isRunning
      ? `answers at ${url}`
      : `${url} answers ${response.status}: another program may be there. Set PORT, or --server.`;
    const finding: Finding = { check: "server", level: isRunning ? "ok" : "problem", detail };
    return { isRunning, finding, clock: clockFindings(response.headers.get("date")) };
  } catch {
    const detail = `no server answers at ${url}: start one with longwave serve.`;
    return { isRunning: false, finding: { check: "server", level: "warning", detail }, clock: [] };
  }
}

function clockFindings(date: string | null): Finding[] {
  if (date === null) return [];
  const seconds = Math.abs(Date.now() - Date.parse(date)) / 1_000;
  if (seconds <= CLOCK_SECONDS_MAX)
    return [{ check: "clock", level: "ok", detail: "agrees with the server's" }];
  const detail = `differs from the server's by ${Math.round(seconds)} s: set both by NTP. Signatures older than 300 s are refused.`;
  return [{ check: "clock", level: "problem", detail }];
}

/** Findings from /readyz: database, loops and carriers. */
export async function readinessFindings(url: string): Promise<Finding[]> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const { checks = {} } = (await response.json()) as { checks?: Record<string, ReadinessCheck> };
    return Object.entries(checks).map(([check, result]) => readinessFinding(check, result));
  } catch {
    const detail = `${url}/readyz does not answer as Longwave does: another program may be there, or the server is overloaded. Look at its log.`;
    return [{ check: "readiness", level: "problem", detail }];
  }
}

/** One check of /readyz. */
export interface ReadinessCheck {
  readonly ok: boolean;
  readonly [field: string]: unknown;
}

export function readinessFinding(check: string, result: ReadinessCheck): Finding {
  const level = result.ok ? "ok" : "problem";
  // Servers show details to their own machine and on the metrics port only.
  if (Object.keys(result).length === 1 && check !== "database") {
    return { check, level, detail: result.ok ? "ok" : `not ok: ${TO_SEE_DETAILS}` };
  }
  return { check, level, detail: (result.ok ? GOOD : WRONG)[check]?.(result) ?? plainly(result) };
}

const TO_SEE_DETAILS =
  "run longwave doctor on the server's machine, where /readyz gives the reason.";

type Words = Readonly<Record<string, (result: ReadinessCheck) => string>>;

const GOOD: Words = {
  database: () => "answers and accepts writes",
  migrations: () => "up to date",
  workers: ({ live }) => `${counted(Number(live), "process", "processes")} running`,
  lanes: () => "due work is processed on time",
  carriers: ({ links }) => linkWords(links) || "none, and no live number needs one",
};

const WRONG: Words = {
  database: ({ reason }) =>
    `${reason ?? "It does not answer."} Look at postgres.log in the data folder, or at the PostgreSQL that DATABASE_URL names; the disk may be full.`,
  migrations: ({ missing }) =>
    `${listed(missing)} not applied: run longwave migrate, or restart the server.`,
  workers: () => "no worker process runs, so texts wait: restart the server and read its log.",
  lanes: ({ seconds_behind }) =>
    `due work is late (${lateLanes(seconds_behind)}): look at the load of machine and database.`,
  hold: ({ reason }) =>
    `${reason} Nothing is sent: longwave operator hold texts lists pending texts, longwave operator hold release releases them.`,
  carriers: carrierWords,
};

function carrierWords(result: ReadinessCheck): string {
  const unserved = listed(result["numbers_without_carrier"]);
  const unlinked = listed(result["numbers_without_link"]);
  const sentences = [
    ...(unserved === "" ? [] : [`No carrier serves ${unserved}: ${TO_SERVE}`]),
    ...(unlinked === "" ? [] : [`Every link of ${unlinked} is down: ${TO_LINK}`]),
  ];
  const links = linkWords(result["links"]);
  return [...sentences, ...(links === "" ? [] : [`Links: ${links}.`])].join(" ");
}

const TO_SERVE =
  "their texts wait. Add their provider with longwave carriers add, or an entry to the file that LONGWAVE_CARRIERS names and longwave operator carriers reload, or release the numbers.";
const TO_LINK =
  "their texts wait until a link is up. longwave operator carriers list gives the reason; check the address and the credentials of its entry.";

function linkWords(links: unknown): string {
  return Object.entries((links ?? {}) as Record<string, unknown>)
    .map(([name, state]) => `${name} ${state}`)
    .join(", ");
}

function lateLanes(behind: unknown): string {
  return Object.entries((behind ?? {}) as Record<string, number>)
    .filter(([, seconds]) => seconds > 0)
    .map(([lane, seconds]) => `${lane} by ${Math.round(seconds)} s`)
    .join(", ");
}

function listed(items: unknown): string {
  return Array.isArray(items) ? items.join(", ") : "";
}

/** Fallback for checks of newer servers. */
function plainly({ ok, ...rest }: ReadinessCheck): string {
  return Object.keys(rest).length > 0 ? JSON.stringify(rest) : ok ? "ok" : "not ok";
}
