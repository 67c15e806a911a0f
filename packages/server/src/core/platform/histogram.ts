import type { Metric, Registry } from "prom-client";

type Labels = Readonly<Record<string, string>>;

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly buckets: readonly number[];
}

/** Observations under one set of labels. */
interface Series {
  readonly labels: Labels;
  /** Observations per bucket, not cumulative; the last entry counts those above every bucket. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram for values observed on every request. prom-client looks labels up at each observation; here the
 * returned function has looked them up once. The same labels are the same series, however often they are asked for.
 */
export function createHistogram(
  registry: Registry,
  { name, help, buckets }: HistogramOptions,
): (labels: Labels) => (value: number) => void {
  const all = new Map<string, Series>();
  const show = () => [...all.values()].flatMap((series) => valuesOf(name, buckets, series));
  const metric = {
    name,
    get: async () => ({ name, help, type: "histogram", aggregator: "sum", values: show() }),
    reset: () => all.clear(),
  };
  registry.registerMetric(metric as unknown as Metric);
  return (labels) => {
    const key = JSON.stringify(labels);
    const series = all.get(key) ?? {
      labels,
      counts: new Array(buckets.length + 1).fill(0),
      sum: 0,
    };
    all.set(key, series);
    return (value) => {
      let bucket = 0;
      while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket += 1;
      (series.counts[bucket] as number) += 1;
      series.sum += value;
    };
  };
}

function valuesOf(name: string, buckets: readonly number[], { labels, counts, sum }: Series) {
  let count = 0;
  const shown = counts.map((counted, bucket) => {
    count += counted;
    const le = buckets[bucket] ?? "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return count === 0
    ? []
    : [
        ...shown,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
}
