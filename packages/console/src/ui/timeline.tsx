import type { ReactNode } from "react";
import { formatClock, formatExact, formatTook } from "./format.ts";
import { Icon, type IconName } from "./icons.tsx";
import type { Tone } from "./looks.ts";

export interface Moment {
  readonly key: string;
  readonly at: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
}

/** What happened, in order; times after the first are told as the distance from it. */
export function Timeline(props: { moments: readonly Moment[] }) {
  const start = props.moments[0]?.at;
  return (
    <ol className="timeline">
      {props.moments.map((moment) => (
        <li key={moment.key}>
          <span className="timeline-dot" data-tone={moment.tone}>
            <Icon name={moment.icon} size={12} />
          </span>
          <div>
            <div>{moment.title}</div>
            {moment.detail}
          </div>
          <time className="meta" dateTime={moment.at} title={formatExact(moment.at)}>
            {start === undefined || moment.at === start
              ? formatClock(moment.at)
              : distance(start, moment.at)}
          </time>
        </li>
      ))}
    </ol>
  );
}

function distance(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? `+${formatTook(ms)}` : formatClock(to);
}
