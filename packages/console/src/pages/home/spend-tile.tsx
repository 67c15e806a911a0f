import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { formatUsd } from "../../ui/format.ts";

/** Spend of the month against its limit, with marks at the alert thresholds. */
export function SpendTile() {
  const { base, mode } = useAccount();
  const limit = useRead(["spend-limit"], (api, signal) => api.spendLimit.get({ signal }), {
    enabled: mode === "live",
  });
  if (mode === "test") return "Free";
  if (!limit.data) return "–";
  const {
    spent_usd: spent,
    reserved_usd: reserved,
    monthly_limit_usd: most,
    alert_thresholds: alerts,
  } = limit.data;
  const part = most === null || most === 0 ? 0 : Math.min(1, (spent + reserved) / most);
  return (
    <Link to={`${base}/billing`} search={{}} className="spend-tile">
      {formatUsd(spent)}
      <span className="meta">{most === null ? "no limit" : `of ${formatUsd(most)}`}</span>
      {most !== null && (
        <span className="spend-track" aria-hidden="true">
          <span
            data-tone={part >= 1 ? "red" : part >= 0.8 ? "amber" : "green"}
            style={{ width: `${part * 100}%` }}
          />
          {alerts
            .filter((percent) => percent < 100)
            .map((percent) => (
              <i key={percent} style={{ left: `${percent}%` }} />
            ))}
        </span>
      )}
    </Link>
  );
}
