import type { NetworkLimits } from "@longwave/sdk";
import type { ReactNode } from "react";
import { formatCount } from "../../ui/format.ts";
import { Card, Facts } from "../../ui/page.tsx";

/** Rates and daily caps that networks granted a campaign. `change`: the operator's way to change them. */
export function NetworkLimitsCard(props: { limits: readonly NetworkLimits[]; change?: ReactNode }) {
  const { limits, change } = props;
  return (
    <Card title="Rates and daily caps" aside={change}>
      {limits.length === 0 ? (
        <p className="muted">No network has set a limit.</p>
      ) : (
        <div className="stack">
          <Facts facts={limits.map((each) => ({ name: each.network, value: wordsOf(each) }))} />
          <p className="muted">
            The smallest rate paces US messages. What exceeds the smallest cap waits for midnight
            Pacific Time.
          </p>
        </div>
      )}
    </Card>
  );
}

function wordsOf({ segments_per_minute: perMinute, segments_per_day: perDay }: NetworkLimits) {
  const parts = [
    ...(perMinute === null ? [] : [`${formatCount(perMinute)} segments a minute`]),
    ...(perDay === null ? [] : [`${formatCount(perDay)} segments a day`]),
  ];
  return parts.length === 0 ? "No limit" : parts.join(", ");
}
