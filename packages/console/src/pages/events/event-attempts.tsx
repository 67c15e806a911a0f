import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Card } from "../../ui/page.tsx";
import { AttemptTable } from "../webhooks/attempt-table.tsx";

const EVERY_MS = 3_000;

/** Who was sent the event, and how each answered. */
export function EventAttempts(props: { eventId: string }) {
  const { eventId } = props;
  const attempts = useRead(
    ["deliveries", "of", eventId],
    (api, signal) => api.webhooks.deliveries({ event_id: eventId, limit: 100 }, { signal }),
    { everyMs: EVERY_MS },
  );
  return (
    <Card title="Webhook attempts" flush>
      <Loaded query={attempts}>{(page) => <AttemptTable attempts={page.data} />}</Loaded>
    </Card>
  );
}
