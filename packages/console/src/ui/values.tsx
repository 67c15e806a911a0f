import { useEffect, useState } from "react";
import { onServerShift, serverMs } from "../clock.ts";
import { Copy } from "./copy.tsx";
import { formatDistance, formatExact, formatPhone, formatRelative, formatUsd } from "./format.ts";

const TICK_MS = 10_000;

/** Present time for relative times: one shared timer updates all. */
const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function tick(): void {
  const now = serverMs();
  for (const each of listeners) each(now);
}

onServerShift(tick);

function listen(listener: (now: number) => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

export function useNow(): number {
  const [now, setNow] = useState(serverMs);
  useEffect(() => listen(setNow), []);
  return now;
}

/** "3 min ago", with the exact time in a tooltip. */
export function Time(props: { at: string | null }) {
  const now = useNow();
  if (props.at === null) return <span className="muted">–</span>;
  return (
    <time dateTime={props.at} title={formatExact(props.at)}>
      {formatRelative(props.at, now)}
    </time>
  );
}

const SECOND_MS = 1_000;

/** "in 58 s", counted down each second, with the exact time in a tooltip. */
export function Countdown(props: { until: string }) {
  const [now, setNow] = useState(serverMs);
  useEffect(() => {
    const ticking = setInterval(() => setNow(serverMs()), SECOND_MS);
    return () => clearInterval(ticking);
  }, []);
  const leftMs = Date.parse(props.until) - now;
  return (
    <time dateTime={props.until} title={formatExact(props.until)} className="tabular">
      {leftMs < SECOND_MS ? "now" : `in ${formatDistance(leftMs)}`}
    </time>
  );
}

export function Phone(props: { value: string; plain?: boolean }) {
  const shown = formatPhone(props.value);
  if (props.plain) return <span className="nowrap">{shown}</span>;
  return (
    <Copy text={props.value} label={shown}>
      {shown}
    </Copy>
  );
}

export function Money(props: { usd: number }) {
  return <span className="tabular">{props.usd === 0 ? "Free" : formatUsd(props.usd)}</span>;
}
