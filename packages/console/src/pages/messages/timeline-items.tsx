import type { TimelineEntry } from "@longwave/sdk";
import { Json } from "../../ui/code.tsx";
import type { IconName } from "../../ui/icons.tsx";
import type { Tone } from "../../ui/looks.ts";
import { type TimelineItem, WithTimes } from "../../ui/timeline.tsx";
import { isBadAttempt } from "./webhook-lane.ts";

type Step = TimelineEntry["step"];

// biome-ignore format: one step per line, read as a table
const LOOKS: Partial<Record<Step, { tone: Tone; icon: IconName }>> = {
  accepted:         { tone: "grey",   icon: "inbox" },
  quiet_hours:      { tone: "amber",  icon: "clock" },
  handed_over:      { tone: "blue",   icon: "send" },
  carrier_accepted: { tone: "blue",   icon: "tower" },
  carrier_deferred: { tone: "amber",  icon: "clock" },
  carrier_rejected: { tone: "red",    icon: "x" },
  outcome_unknown:  { tone: "amber",  icon: "alert" },
  receipt:          { tone: "green",  icon: "consent" },
  delivered:        { tone: "green",  icon: "check" },
  failed:           { tone: "red",    icon: "x" },
  received:         { tone: "violet", icon: "inbox" },
  webhook_attempt:  { tone: "violet", icon: "webhook" },
  waiting:          { tone: "amber",  icon: "clock" },
};

export function timelineItems(entries: readonly TimelineEntry[]): TimelineItem[] {
  return entries.map((entry, index) => {
    const look = LOOKS[entry.step] ?? { tone: "grey" as const, icon: "dot" as const };
    const hasDetails = Object.keys(entry.details).length > 0;
    return {
      key: `${entry.at} ${entry.step} ${index}`,
      at: entry.at,
      tone: isBadAttempt(entry) ? "red" : look.tone,
      icon: look.icon,
      title: <WithTimes text={entry.description} />,
      detail: hasDetails && (
        <details>
          <summary>Details</summary>
          <Json value={entry.details} title={entry.step} />
        </details>
      ),
    };
  });
}
