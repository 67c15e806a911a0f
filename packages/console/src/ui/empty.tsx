import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

/** Empty list: explains the resource, with a button that creates the first one. */
export function Empty(props: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-mark">
        <Icon name={props.icon} size={20} />
      </span>
      <h2>{props.title}</h2>
      {props.children && <div className="muted stack-tight">{props.children}</div>}
      {props.action && <div className="row">{props.action}</div>}
    </div>
  );
}

/** Grey bars in place of text; CSS shows them only after a delay. */
export function Skeleton(props: { width?: string; height?: string }) {
  return (
    <span
      className="skeleton"
      style={{ width: props.width ?? "60%", height: props.height }}
      aria-hidden="true"
    />
  );
}

export function SkeletonCard(props: { lines?: number }) {
  const widths = ["40%", "72%", "56%", "64%", "48%", "70%"];
  return (
    <div className="card card-body stack" aria-busy="true">
      <span className="sr-only">Loading</span>
      {widths.slice(0, props.lines ?? 4).map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
