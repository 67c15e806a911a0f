import type { CarrierLink } from "@longwave/sdk";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";

/** Sets the callback URL at the provider, or says what to set there. */
export function WebhookCard({ link }: { link: CarrierLink }) {
  const set = useAct((_: undefined, { api, idempotencyKey }) =>
    api.operator.carriers.setCallbacks(link.name, { idempotencyKey }),
  );
  const { inbound } = link.callback_urls;
  if (link.poll_seconds !== null && inbound === null) return null;
  const { data } = set;
  return (
    <Card title="Webhook">
      <div className="stack">
        <p className="muted">
          The provider calls the server with replies and receipts. Set the URL after numbers were
          taken over: it is set for those.
        </p>
        {data?.is_set && <Note tone="green">The provider sends replies to {data.inbound}.</Note>}
        {data && !data.is_set && data.next !== null && (
          <Note tone="amber">
            <strong>Left to do at the provider:</strong> {data.next}
          </Note>
        )}
        {data && !data.is_set && data.next === null && (
          <Note tone="blue">Nothing is left to do: the server reads the provider's lists.</Note>
        )}
        {set.error ? <ErrorBox error={set.error} /> : null}
        <div className="row">
          <Button icon="link" busy={set.isPending} onClick={() => set.mutate(undefined)}>
            Set the webhook
          </Button>
        </div>
      </div>
    </Card>
  );
}
