import type { Message } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Bars } from "../../ui/chart.tsx";
import { Card } from "../../ui/page.tsx";

/** The newest failures are enough to see the causes. */
const FAILURES_READ = 100;
const REASONS_SHOWN = 5;

/** Causes of failed messages, most frequent first. */
export function Failures(props: { since: string }) {
  const { base } = useAccount();
  const { since } = props;
  const failed = useRead(["home", "failures", since], (api, signal) =>
    api.messages.list({ status: "failed", created_after: since, limit: FAILURES_READ }, { signal }),
  );
  return (
    <Card
      title="Failures by reason"
      aside={
        <Link to={`${base}/messages`} search={{ status: "failed" }}>
          See all
        </Link>
      }
    >
      <Loaded query={failed} skeletonLines={3}>
        {(page) => (
          <div className="stack-tight">
            <Bars bars={barsOf(page.data)} color="--c-failed" />
            {page.has_more && <p className="meta">Of the newest {FAILURES_READ}.</p>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function barsOf(messages: readonly Message[]) {
  const counts = new Map<string, number>();
  for (const { failure } of messages) {
    const reason = failure?.title ?? "Unknown";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, value]) => ({ key: name, name, value }))
    .sort((a, b) => b.value - a.value)
    .slice(0, REASONS_SHOWN);
}
