import { FAILURES } from "@longwave/contract/tables";
import { useAccount } from "../../api/account.tsx";
import { Bars } from "../../ui/chart.tsx";
import { formatCount } from "../../ui/format.ts";
import type { FailureCounts } from "./use-failures.ts";

interface BarsProps {
  readonly failures: FailureCounts;
  /** Start of the time counted. */
  readonly since: string;
  readonly max?: number;
}

/** Each bar leads to the messages that failed for its reason. */
export function ReasonBars(props: BarsProps) {
  const { base } = useAccount();
  const { failures, since, max } = props;
  return (
    <div className="stack-tight">
      <Bars
        color="--c-failed"
        bars={failures.by_reason.slice(0, max).map(({ code, count }) => ({
          key: code,
          name: FAILURES[code].title,
          value: count,
          link: {
            to: `${base}/messages`,
            search: { failure_code: code, created_after: since },
          },
        }))}
      />
      <Partial failures={failures} />
    </div>
  );
}

/** Each bar leads to the failed messages of its carrier. */
export function CarrierBars(props: BarsProps) {
  const { base } = useAccount();
  const { failures, since, max } = props;
  return (
    <div className="stack-tight">
      <Bars
        color="--c-failed"
        bars={failures.by_carrier.slice(0, max).map(({ carrier, count }) => ({
          key: carrier ?? "",
          name: carrier ?? "No carrier",
          value: count,
          ...(carrier !== null && {
            link: {
              to: `${base}/messages`,
              search: { status: "failed", carrier, created_after: since },
            },
          }),
        }))}
      />
      <Partial failures={failures} />
    </div>
  );
}

function Partial(props: { failures: FailureCounts }) {
  const { is_partial, counted } = props.failures;
  if (!is_partial) return null;
  return <p className="meta">Of the newest {formatCount(counted)}.</p>;
}
