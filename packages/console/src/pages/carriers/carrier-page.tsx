import type { CarrierLink } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { CarrierTest } from "./carrier-test.tsx";
import { KeptCallbacks } from "./kept-callbacks.tsx";
import { ProviderNumbersCard } from "./provider-numbers.tsx";
import { WebhookCard } from "./webhook-card.tsx";

const REFRESH_MS = 2_000;
const CARRIERS_MAX = 100;
const CRUMB = { to: "/op/carriers", label: "Carriers" };

/** One carrier: its link, and what is left from its key to a delivered message. */
export function CarrierPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  const carriers = useRead(
    ["op-carriers"],
    (api, signal) => api.operator.carriers.list({ limit: CARRIERS_MAX }, { signal }),
    { refetchMs: REFRESH_MS },
  );
  const link = carriers.data?.data.find((each) => each.name === name);
  return (
    <Page
      title={name}
      crumb={CRUMB}
      actions={link?.preset ? <RemoveCarrier link={link} /> : undefined}
    >
      <Loaded query={carriers}>
        {() =>
          link ? (
            <Carrier key={link.name} link={link} />
          ) : (
            <Empty icon="tower" title="There is no such carrier">
              The carriers file has no {name}. Reload the file if it was added there.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

function Carrier({ link }: { link: CarrierLink }) {
  return (
    <div className="columns">
      <div className="stack-wide">
        {link.state !== "up" && link.last_error !== null && (
          <Note tone="red">{link.last_error}</Note>
        )}
        {link.poll?.last_error != null && (
          <Note tone="red">A list of the provider cannot be read. {link.poll.last_error}</Note>
        )}
        {link.unowned_inbound.count > 0 && (
          <Note tone="amber">
            {plural(link.unowned_inbound.count, "incoming message")} for numbers that this carrier
            does not serve
            {link.unowned_inbound.last_number &&
              `, the last one for ${formatPhone(link.unowned_inbound.last_number)}`}
            . They had no effect. Add the numbers to the carrier if they are its own.
          </Note>
        )}
        {link.preset !== null && <ProviderNumbersCard link={link} />}
        {link.preset !== null && <WebhookCard link={link} />}
        <CarrierTest link={link} />
        {link.type === "http" && <KeptCallbacks carrier={link.name} />}
      </div>
      <div className="stack-wide">
        <Card title="Details">
          <Facts
            facts={[
              { name: "State", value: <Status machine="carrier" state={link.state} /> },
              { name: "Provider", value: link.preset ?? link.type },
              {
                name: "Numbers",
                value:
                  link.numbers === "*" ? "All" : link.numbers.map(formatPhone).join(", ") || "–",
              },
              { name: "Priority", value: link.priority },
              urlFact("Receipts URL", link.callback_urls.receipts),
              urlFact("Inbound URL", link.callback_urls.inbound),
              link.poll_seconds === null
                ? null
                : { name: "Reads lists", value: `Every ${plural(link.poll_seconds, "second")}` },
              link.poll?.polled_at
                ? { name: "Last read", value: <Time at={link.poll.polled_at} /> }
                : null,
            ]}
          />
        </Card>
      </div>
    </div>
  );
}

function urlFact(name: string, url: string | null) {
  if (url === null) return null;
  return {
    name,
    value: (
      <Copy text={url}>
        <span className="mono wrap-anywhere" style={{ whiteSpace: "normal" }}>
          {url}
        </span>
      </Copy>
    ),
  };
}

function RemoveCarrier({ link }: { link: CarrierLink }) {
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct((_: undefined, { api }) => api.operator.carriers.delete(link.name), {
    stale: ["op-carriers"],
    onDone: (removed) => {
      toast(`${removed.name} is no longer in ${removed.file}.`);
      void navigate({ to: "/op/carriers", search: {} } as never);
    },
  });
  const { inbound } = link.callback_urls;
  return (
    <>
      <Button kind="danger" icon="trash" onClick={() => setIsAsking(true)}>
        Remove
      </Button>
      <Confirm
        title={`Remove ${link.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Remove the carrier"
        busy={remove.isPending}
        error={remove.error}
        typed={link.name}
      >
        Its entry and its secrets leave the carriers file. Numbers stay with their accounts; texts
        of numbers that no other carrier serves wait. Receipts and replies no longer arrive.
        {inbound !== null && ` Remove the webhook ${inbound} at the provider.`}
      </Confirm>
    </>
  );
}
