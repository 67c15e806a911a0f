import type { Topic } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { CheckField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const TOPICS_SHOWN_MAX = 20;

/** Topics of a phone: its own choice, else the topic's default. */
export function ContactTopics(props: { phone: string }) {
  const { scope } = useAccount();
  const mayEdit = useHasRole("member");
  const topics = useRead(["topics", "of", props.phone], async (api, signal) => {
    const all = await api.topics.list({ limit: TOPICS_SHOWN_MAX }, { signal });
    return Promise.all(
      all.data.map(async (topic) => {
        const query = { phone_number: props.phone, limit: 1 };
        const chosen = await api.topics.subscriptions(topic.id, query, { signal });
        return { topic, isSubscribed: isSubscribed(topic, chosen.data[0]?.subscribed) };
      }),
    );
  });
  const change = useAct(
    ({ topic, to }: { topic: Topic; to: boolean }, { api, idempotencyKey }) =>
      api.topics
        .subscribe(topic.id, { phone_number: props.phone, subscribed: to }, { idempotencyKey })
        .then(() => toast(`${to ? "Subscribed to" : "Unsubscribed from"} ${topic.name}.`)),
    { stale: ["topics"] },
  );
  const rows = topics.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title="Topics">
      <div className="stack-tight" key={scope.join()}>
        {rows.map(({ topic, isSubscribed: isOn }) => (
          <CheckField
            key={topic.id}
            label={topic.name}
            help={topic.description}
            checked={isOn}
            disabled={!mayEdit || change.isPending}
            onChange={(to) => change.mutate({ topic, to })}
          />
        ))}
        {change.error ? <ErrorBox error={change.error} /> : null}
      </div>
    </Card>
  );
}

function isSubscribed(topic: Topic, chosen: boolean | undefined): boolean {
  return chosen ?? topic.default === "subscribed";
}
