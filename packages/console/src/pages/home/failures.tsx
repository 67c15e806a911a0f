import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { Loaded } from "../../lists/loaded.tsx";
import { Card } from "../../ui/page.tsx";
import { ReasonBars } from "../deliverability/failure-bars.tsx";
import { useFailures } from "../deliverability/use-failures.ts";

const REASONS_SHOWN = 5;

/** Causes of failed messages, most frequent first. */
export function Failures(props: { since: string }) {
  const { base } = useAccount();
  const { since } = props;
  return (
    <Card
      title="Failures by reason"
      aside={
        <Link to={`${base}/messages`} search={{ status: "failed", created_after: since } as never}>
          See all
        </Link>
      }
    >
      <Loaded query={useFailures(since)} skeletonLines={3}>
        {(failures) => <ReasonBars failures={failures} since={since} max={REASONS_SHOWN} />}
      </Loaded>
    </Card>
  );
}
