import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Card } from "../../ui/page.tsx";
import { AttemptTable } from "../webhooks/attempt-table.tsx";

const REFETCH_MS = 3_000;

/** Delivery attempts of the event, with each endpoint's answer. */
export function EventAttempts(props: { eventId: string }) {
  const { eventId } = props;
  const attempts = useRead(
    ["deliveries", "of", eventId],
    (api, signal) => api.webhooks.deliveries({ event_id: eventId, limit: 100 }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <Card title="Webhook attempts" flush>
      <Loaded query={attempts}>{(page) => <AttemptTable of="event" attempts={page.data} />}</Loaded>
    </Card>
  );
}
