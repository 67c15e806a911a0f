import type { ReactNode } from "react";
import { formatDayAndTime, formatExact, formatTook } from "./format.ts";
import { Icon, type IconName } from "./icons.tsx";
import type { Tone } from "./looks.ts";
import { Time } from "./values.tsx";

export interface TimelineItem {
  readonly key: string;
  readonly at: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
}

/** Events of one object in order; times after `start`, by default the first's, are relative to it. */
export function Timeline(props: { moments: readonly TimelineItem[]; start?: string | undefined }) {
  const start = props.start ?? props.moments[0]?.at;
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
          <span className="meta nowrap">
            <EntryTime start={start ?? moment.at} at={moment.at} />
          </span>
        </li>
      ))}
    </ol>
  );
}

function EntryTime(props: { start: string; at: string }) {
  const { start, at } = props;
  const ms = Date.parse(at) - Date.parse(start);
  if (ms <= 0) return <Time at={at} />;
  return (
    <time dateTime={at} title={formatExact(at)}>
      +{formatTook(ms)}
    </time>
  );
}

const ISO = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A server's sentence with its timestamps formatted; the exact time is in a tooltip. */
export function WithTimes(props: { text: string }) {
  return props.text.split(ISO).map((part, index) =>
    // Odd parts are the timestamps that the pattern matched.
    index % 2 === 1 ? (
      <time key={part} dateTime={part} title={formatExact(part)}>
        {formatDayAndTime(part)}
      </time>
    ) : (
      part
    ),
  );
}
