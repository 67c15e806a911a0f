import { Link } from "@tanstack/react-router";
import { type ReactNode, useContext, useState } from "react";
import { formatClock, formatCount } from "./format.ts";
import { ReadAt } from "./read-at.ts";
import { useWidth } from "./use-width.ts";

export interface Series {
  readonly name: string;
  /** Custom property of the palette, such as `--c-delivered`. */
  readonly color: string;
}

export interface Bucket {
  readonly label: string;
  readonly values: readonly number[];
  /** Time span of the bar; `until` is null while it lasts, as today does. */
  readonly from?: string;
  readonly until?: string | null;
}

/**
 * Width before measuring. After that a chart is drawn 1:1 in pixels, so its labels have the page's
 * text size.
 */
const WIDTH_PX = 640;
const LEFT = 34;
const BOTTOM = 22;
const GRID_LINES = 3;
const LABEL_PX = 64;

/**
 * The smallest round number above `value`: 1, 2 or 5 times a power of ten, so that grid lines are
 * round.
 */
function niceMax(value: number): number {
  if (value <= GRID_LINES) return GRID_LINES;
  const part = value / GRID_LINES;
  const power = 10 ** Math.floor(Math.log10(part));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= part) ?? 10;
  return step * power * GRID_LINES;
}

/**
 * Stacked bars over time; Y begins at 0. Tab reaches one bar and the arrow keys the others; each
 * announces its numbers.
 */
export function StackedBars(props: {
  label: string;
  series: readonly Series[];
  buckets: readonly Bucket[];
  height?: number;
  /** Opens what a bar counts. */
  onPick?: (bucket: Bucket) => void;
}) {
  const { series, buckets, onPick } = props;
  const height = props.height ?? 200;
  const [at, setAt] = useState<number | null>(null);
  const [isTable, setIsTable] = useState(false);
  const readAt = useContext(ReadAt);
  const top = niceMax(Math.max(0, ...buckets.map((bucket) => sum(bucket.values))));
  const [watch, measured] = useWidth<SVGSVGElement>();
  const width = measured || WIDTH_PX;
  const labelEvery = Math.ceil(buckets.length / Math.max(1, Math.floor((width - LEFT) / LABEL_PX)));
  const slot = (width - LEFT) / Math.max(1, buckets.length);
  const y = (value: number) => (height - BOTTOM) * (1 - value / top) + 4;
  const shown = at === null ? undefined : buckets[at];
  return (
    <figure style={{ position: "relative" }}>
      {isTable ? (
        <ChartTable label={props.label} series={series} buckets={buckets} />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot contain a drawing
        <svg
          ref={watch}
          className="chart"
          height={height + 4}
          viewBox={`0 0 ${width} ${height + 4}`}
          role="group"
          aria-label={`${props.label}. ${summary(series, buckets)}`}
          onKeyDown={moveAmongBars}
        >
          <Grid top={top} y={y} width={width} />
          {buckets.map((bucket, index) => (
            // biome-ignore lint/a11y/noStaticElementInteractions: a bar announces values; with onPick it is a button
            <g
              key={bucket.label}
              role={onPick ? "button" : "img"}
              className={onPick ? "bar-link" : undefined}
              data-open={bucket.until === null || undefined}
              aria-label={`${bucket.label}: ${summary(series, [bucket])}`}
              onClick={() => onPick?.(bucket)}
              onKeyDown={(event) => {
                if (event.key === "Enter") onPick?.(bucket);
              }}
              tabIndex={index === (at ?? buckets.length - 1) ? 0 : -1}
              onFocus={() => setAt(index)}
              onBlur={() => setAt(null)}
              onMouseEnter={() => setAt(index)}
              onMouseLeave={() => setAt(null)}
            >
              <rect x={LEFT + index * slot} y={0} width={slot} height={height} fill="transparent" />
              <Stack bucket={bucket} series={series} x={LEFT + index * slot} width={slot} y={y} />
              {index % labelEvery === 0 && (
                <text x={LEFT + index * slot + slot / 2} y={height} textAnchor="middle">
                  {bucket.label}
                </text>
              )}
            </g>
          ))}
        </svg>
      )}
      {shown && at !== null && !isTable && (
        <Tip
          bucket={shown}
          series={series}
          leftPercent={((LEFT + (at + 0.5) * slot) / width) * 100}
        />
      )}
      <figcaption className="row-apart" style={{ marginTop: 10 }}>
        <Legend series={series} totals={totalsOf(series, buckets)} />
        <span className="row meta">
          {readAt !== null && <span>as of {formatClock(new Date(readAt).toISOString())}</span>}
          <button type="button" className="code-tab" onClick={() => setIsTable(!isTable)}>
            {isTable ? "Show chart" : "Show numbers"}
          </button>
        </span>
      </figcaption>
    </figure>
  );
}

function moveAmongBars(event: React.KeyboardEvent<SVGSVGElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const bars = [...event.currentTarget.querySelectorAll<SVGGElement>("g[tabindex]")];
  const next = bars[bars.indexOf(document.activeElement as SVGGElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function totalsOf(series: readonly Series[], buckets: readonly Bucket[]): number[] {
  return series.map((_, index) => sum(buckets.map((bucket) => bucket.values[index] ?? 0)));
}

function summary(series: readonly Series[], buckets: readonly Bucket[]): string {
  const totals = totalsOf(series, buckets);
  return series.map((each, index) => `${each.name}: ${formatCount(totals[index] ?? 0)}`).join(", ");
}

function Grid(props: { top: number; width: number; y: (value: number) => number }) {
  const lines = Array.from(
    { length: GRID_LINES + 1 },
    (_, index) => (props.top / GRID_LINES) * index,
  );
  return (
    <g>
      {lines.map((value) => (
        <g key={value}>
          <line
            className="grid"
            x1={LEFT}
            x2={props.width}
            y1={props.y(value)}
            y2={props.y(value)}
          />
          <text x={LEFT - 8} y={props.y(value) + 4} textAnchor="end">
            {compact(value)}
          </text>
        </g>
      ))}
    </g>
  );
}

const compactCount = new Intl.NumberFormat(undefined, {
  notation: "compact",
  maximumFractionDigits: 1,
});

function compact(value: number): string {
  return compactCount.format(value);
}

const BAR_PX_MAX = 26;

function Stack(props: {
  bucket: Bucket;
  series: readonly Series[];
  x: number;
  width: number;
  y: (value: number) => number;
}) {
  const width = Math.min(BAR_PX_MAX, props.width * 0.68);
  const x = props.x + (props.width - width) / 2;
  let below = 0;
  return props.series.map((series, index) => {
    const value = props.bucket.values[index] ?? 0;
    const bottom = props.y(below);
    below += value;
    const top = props.y(below);
    if (value === 0) return null;
    return (
      <rect
        key={series.name}
        className="bar"
        x={x}
        y={top}
        width={width}
        height={Math.max(1.5, bottom - top - 1)}
        rx={Math.min(2.5, width / 4)}
        fill={`var(${series.color})`}
      />
    );
  });
}

function Tip(props: { bucket: Bucket; series: readonly Series[]; leftPercent: number }) {
  const left = `${Math.min(86, Math.max(14, props.leftPercent))}%`;
  return (
    <div className="chart-tip" style={{ left, top: 34 }} aria-hidden="true">
      <b>{props.bucket.label}</b>
      {props.series.map((series, index) => (
        <div key={series.name} className="row-apart">
          <span>
            <Swatch color={series.color} /> {series.name}
          </span>
          <span className="tabular">{formatCount(props.bucket.values[index] ?? 0)}</span>
        </div>
      ))}
    </div>
  );
}

function Swatch(props: { color: string }) {
  return (
    <i
      style={{
        display: "inline-block",
        width: 8,
        height: 8,
        borderRadius: 2,
        background: `var(${props.color})`,
      }}
    />
  );
}

export function Legend(props: { series: readonly Series[]; totals?: readonly number[] }) {
  return (
    <div className="legend">
      {props.series.map((series, index) => (
        <span key={series.name}>
          <i style={{ background: `var(${series.color})` }} />
          {series.name} {props.totals && <b>{formatCount(props.totals[index] ?? 0)}</b>}
        </span>
      ))}
    </div>
  );
}

function ChartTable(props: {
  label: string;
  series: readonly Series[];
  buckets: readonly Bucket[];
}) {
  return (
    <div className="table-scroll">
      <table className="table">
        <caption className="sr-only">{props.label}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            {props.series.map((series) => (
              <th key={series.name} scope="col" className="right">
                {series.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.buckets
            .filter((bucket) => sum(bucket.values) > 0)
            .map((bucket) => (
              <tr key={bucket.label}>
                <td>{bucket.label}</td>
                {props.series.map((series, index) => (
                  <td key={series.name} className="right">
                    {formatCount(bucket.values[index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

export interface Bar {
  readonly name: ReactNode;
  readonly key: string;
  readonly value: number;
  readonly shown?: string;
  /** The list that the bar counts. */
  readonly link?: BarLink;
}

interface BarLink {
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/** Horizontal bars, longest first, such as reasons or shares. */
export function Bars(props: { bars: readonly Bar[]; color: string; max?: number }) {
  const max = props.max ?? Math.max(1, ...props.bars.map((bar) => bar.value));
  return (
    <ul className="bars">
      {props.bars.map((bar) => (
        <li key={bar.key} className="bars-row">
          {bar.link ? (
            <Link className="cut" to={bar.link.to} search={bar.link.search as never}>
              {bar.name}
            </Link>
          ) : (
            <span className="cut">{bar.name}</span>
          )}
          <span className="tabular muted">{bar.shown ?? formatCount(bar.value)}</span>
          <div className="bars-track" aria-hidden="true">
            <span
              style={{
                width: `${Math.min(100, (bar.value / max) * 100)}%`,
                background: `var(${props.color})`,
              }}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

export interface Part {
  readonly name: string;
  readonly value: number;
  readonly color: string;
}

/** Progress bar, divided by outcome. */
export function Progress(props: {
  label: string;
  parts: readonly Part[];
  total: number;
  large?: boolean;
}) {
  const total = Math.max(1, props.total);
  const text = props.parts.map((part) => `${part.name} ${formatCount(part.value)}`).join(", ");
  return (
    <div
      className="progress"
      data-size={props.large ? "large" : undefined}
      role="img"
      aria-label={`${props.label}: ${text}`}
    >
      {props.parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <span
            key={part.name}
            style={{ width: `${(part.value / total) * 100}%`, background: `var(${part.color})` }}
          />
        ))}
    </div>
  );
}
