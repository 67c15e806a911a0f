import type { Cost } from "./cost.ts";
import type { Check, Measurement, Row } from "./define.ts";

/** All rounds of one row. */
export interface RowResult {
  readonly row: Row;
  readonly ours: readonly Measurement[];
  readonly other: readonly Measurement[];
}

/** Median, minimum and maximum. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const lower = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? upper) : upper;
  return {
    median: (lower + upper) / 2,
    low: sorted[0] ?? Number.NaN,
    high: sorted.at(-1) ?? Number.NaN,
  };
}

/** Ratio of ours to the other, round by round, because load on the machine affects both. */
export function ratiosOf(result: RowResult): Spread {
  return spreadOf(result.ours.map((ours, round) => ratioOf(result.row, ours, result.other[round])));
}

export function ratioOf(row: Row, ours?: Measurement, other?: Measurement): number {
  const figureOf = (one?: Measurement) => (row.by === "p50" ? one?.p50Ms : one?.perSecond);
  return (figureOf(ours) ?? Number.NaN) / (figureOf(other) ?? Number.NaN);
}

/** Sentences about exceeded limits of a row; empty if all hold. */
export function failuresOf(result: RowResult): string[] {
  const { row } = result;
  const { name } = row.ours;
  const failures: string[] = [];
  if (row.other) {
    const { other, floor = 0, ceiling = Number.MAX_VALUE } = row;
    const { median } = ratiosOf(result);
    const found = `${name} / ${other.name}: ${median.toFixed(2)}`;
    if (!(median >= floor)) failures.push(`${found} is below the floor of ${floor}`);
    if (median > ceiling) failures.push(`${found} is above the ceiling of ${ceiling}`);
    failures.push(...errorsOf(other.name, result.other));
  }
  failures.push(...errorsOf(name, result.ours));
  const limits = { p50Ms: row.p50MsMax, p99Ms: row.p99MsMax };
  for (const [part, max] of Object.entries(limits) as ["p50Ms" | "p99Ms", number | undefined][]) {
    if (max === undefined) continue;
    const { median } = spreadOf(result.ours.map((round) => round[part] ?? Number.NaN));
    if (median <= max) continue;
    const quantile = part.slice(0, 3);
    failures.push(`${name}: ${quantile} of ${median.toFixed(1)} ms is above ${max} ms`);
  }
  return failures;
}

function errorsOf(name: string, rounds: readonly Measurement[]): string[] {
  const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
  return errors > 0 ? [`${name}: ${errors} requests failed`] : [];
}

const HEADINGS = [
  "ours",
  "per second",
  "p50 / p99 ms",
  "against",
  "per second",
  "ratio",
  "limit",
  "each of ours takes",
];

/** Markdown table, readable in a terminal and in documents. */
export function tableOf(results: readonly RowResult[]): string {
  const rows = results.map((result) => [
    result.row.ours.name,
    rateText(result.ours),
    latencyText(result.ours),
    ...againstTexts(result),
    costText(result.ours),
  ]);
  return markdown(HEADINGS, rows);
}

/** Separate table of the checks. */
export function checksTableOf(checks: readonly Check[]): string {
  const rows = checks.map((check) => [check.name, check.measured, check.limit]);
  return markdown(["what", "measured", "limit"], rows);
}

export function checkFailuresOf(checks: readonly Check[]): string[] {
  const failed = checks.filter((check) => !check.holds);
  return failed.map((check) => `${check.name}: ${check.measured} is not ${check.limit}`);
}

function markdown(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [line(headings), rule, ...rows.map(line)].join("\n");
}

function againstTexts(result: RowResult): string[] {
  const { row } = result;
  if (!row.other) return ["", "", "", limitText(row)];
  const ratio = ratioText(ratiosOf(result)) + (row.by === "p50" ? " of p50" : "");
  return [row.other.name, rateText(result.other), ratio, limitText(row)];
}

function limitText({ floor, ceiling, p50MsMax, p99MsMax }: Row): string {
  const limits = [
    ["≥", floor, ""],
    ["≤", ceiling, ""],
    ["p50 ≤", p50MsMax, " ms"],
    ["p99 ≤", p99MsMax, " ms"],
  ] as const;
  const given = limits.filter(([, limit]) => limit !== undefined);
  return given.map(([sign, limit, unit]) => `${sign} ${limit}${unit}`).join(", ");
}

function ratioText(ratio: Spread): string {
  return `${ratio.median.toFixed(2)} (${ratio.low.toFixed(2)}..${ratio.high.toFixed(2)})`;
}

function rateText(rounds: readonly Measurement[]): string {
  const { median, low, high } = spreadOf(rounds.map((round) => round.perSecond));
  return `${median.toFixed(0)} (${low.toFixed(0)}..${high.toFixed(0)})`;
}

/** Median cost of the rounds that measured it. */
function costText(rounds: readonly Measurement[]): string {
  const costs = rounds.flatMap(({ cost }) => (cost ? [cost] : []));
  if (costs.length === 0) return "";
  const median = (part: keyof Cost) => spreadOf(costs.map((cost) => cost[part])).median;
  const kilobytes = (median("walBytes") / 1_000).toFixed(1);
  return `${median("nodeMicros").toFixed(0)} µs Node, ${median("postgresMicros").toFixed(0)} µs PostgreSQL, ${kilobytes} KB of log, ${median("indexEntries").toFixed(1)} index entries`;
}

function latencyText(rounds: readonly Measurement[]): string {
  if (rounds.some((round) => round.p50Ms === undefined)) return "";
  const p50 = spreadOf(rounds.map((round) => round.p50Ms ?? 0)).median;
  const p99 = spreadOf(rounds.map((round) => round.p99Ms ?? 0)).median;
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
}
