const WIDTH = 160;
const HEIGHT = 32;
const STROKE = 1.5;

/** Recent values as a line without a scale; a figure stands beside it. */
export function Sparkline(props: { label: string; values: readonly number[]; color: string }) {
  const { values } = props;
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const y = (value: number) => HEIGHT - STROKE - (value / top) * (HEIGHT - 2 * STROKE);
  const line = values.map((value, at) => `${at * step},${y(value)}`).join(" ");
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={props.label}
      style={{ color: `var(${props.color})` }}
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
