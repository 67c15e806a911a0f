import type { DeliverabilityDegradedEvent } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { serverMs } from "../../clock.ts";
import { formatPercent, formatPhone } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Time } from "../../ui/values.tsx";

const SHOWN = 5;
const DAYS_BACK = 7;
const DAY_MS = 86_400_000;

/** Delivery rates of the last seven days that fell well below the day before. */
export function DeliveryAlarms() {
  const { base } = useAccount();
  const alarms = useRead(["deliverability", "alarms"], async (api, signal) => {
    const created_after = new Date(serverMs() - DAYS_BACK * DAY_MS).toISOString();
    const query = { type: "deliverability.degraded", created_after, limit: SHOWN } as const;
    const page = await api.events.list(query, { signal });
    return page.data.filter((event) => event.type === "deliverability.degraded");
  });
  if (!alarms.data || alarms.data.length === 0) return null;
  return (
    <section className="card" aria-label="Drops of the delivery rate">
      <ul>
        {alarms.data.map((event) => (
          <li key={event.id}>
            <Link to={`${base}/events/${event.id}`} search={{}} className="alarm">
              <span className="alarm-mark" data-tone="red">
                <Icon name="alert" />
              </span>
              <span className="grow">{wordsOf(event.data)}</span>
              <span className="muted nowrap">
                <Time at={event.created_at} />
              </span>
              <Icon name="chevron" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function wordsOf(data: DeliverabilityDegradedEvent["data"]): string {
  const { scope, value, rate, baseline_rate: before } = data;
  const what = scope === "all" || value === null ? "All traffic" : scopeLabel(scope, value);
  return `${what}: ${formatPercent(rate)} delivered, ${formatPercent(before)} the day before`;
}

function scopeLabel(scope: "carrier" | "number", value: string): string {
  return scope === "number" ? formatPhone(value) : `Carrier ${value}`;
}
