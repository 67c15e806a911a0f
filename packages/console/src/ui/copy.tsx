import { type ReactNode, useState } from "react";
import { Icon } from "./icons.tsx";

const SHOWN_MS = 1_200;

/**
 * Text that copies on click. A `label` must contain the shown text. The icon renders on hover or
 * focus only: in a long list, hundreds of hidden icons cost more than the text.
 */
export function Copy(props: { text: string; children?: ReactNode; label?: string }) {
  const [isDone, setIsDone] = useState(false);
  const [isNear, setIsNear] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(props.text);
    setIsDone(true);
    setTimeout(() => setIsDone(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      className="copy"
      data-done={isDone}
      title={`Copy ${props.text}`}
      aria-label={props.label === undefined ? undefined : `${props.label}, copy`}
      onPointerEnter={() => setIsNear(true)}
      onPointerLeave={() => setIsNear(false)}
      onFocus={() => setIsNear(true)}
      onBlur={() => setIsNear(false)}
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void copy();
      }}
    >
      <span className="cut">{props.children ?? props.text}</span>
      {(isNear || isDone) && <Icon name={isDone ? "check" : "copy"} size={13} />}
    </button>
  );
}

const ID_HEAD_CHARS = 9;
const ID_TAIL_CHARS = 5;

/** An id, shortened in the middle unless `whole`. */
export function Id(props: { value: string; whole?: boolean }) {
  const { value } = props;
  return (
    <Copy text={value}>
      <span className="mono">{props.whole ? value : shortId(value)}</span>
    </Copy>
  );
}

export function shortId(value: string): string {
  if (value.length <= ID_HEAD_CHARS + ID_TAIL_CHARS + 1) return value;
  return `${value.slice(0, ID_HEAD_CHARS)}…${value.slice(-ID_TAIL_CHARS)}`;
}
