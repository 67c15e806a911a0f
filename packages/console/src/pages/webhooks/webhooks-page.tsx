import { WEBHOOK_ENDPOINTS_MAX } from "@longwave/contract/tables";
import type { WebhookEndpoint } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { SecretDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPercent, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { EndpointState } from "./endpoint-state.tsx";
import { useHealth } from "./use-health.ts";

export function WebhooksPage() {
  const mayCreate = useHasRole("member");
  const [isOpen, setIsOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const endpoints = useRead(["webhooks"], (api, signal) => api.webhooks.list({}, { signal }));
  const count = endpoints.data?.data.length ?? 0;
  const create = mayCreate && (
    <Button
      kind="primary"
      icon="plus"
      disabled={count >= WEBHOOK_ENDPOINTS_MAX}
      onClick={() => setIsOpen(true)}
    >
      Add an endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      about={`Every event is sent to your endpoints, signed, and retried for 15 hours. ${count} of ${WEBHOOK_ENDPOINTS_MAX} are in use.`}
      actions={create}
    >
      <Loaded query={endpoints}>
        {(page) =>
          page.data.length === 0 ? (
            <div className="list">
              <Empty icon="webhook" title="No endpoints yet" action={create}>
                Give an https address of yours. It receives every text, reply, code and batch within
                a second.
              </Empty>
            </div>
          ) : (
            <EndpointTable endpoints={page.data} />
          )
        }
      </Loaded>
      {isOpen && (
        <EndpointDialog
          onClose={() => setIsOpen(false)}
          onMade={(made) => {
            setIsOpen(false);
            setSecret(made.secret);
          }}
        />
      )}
      <SecretDialog
        title="The signing secret"
        secret={secret}
        what="Your endpoint needs it to check that an event is from us. It is not shown again; a new one can be made."
        onClose={() => setSecret(null)}
      />
    </Page>
  );
}

function EndpointTable(props: { endpoints: readonly WebhookEndpoint[] }) {
  const { base } = useAccount();
  const columns: readonly TableColumn<WebhookEndpoint>[] = [
    {
      name: "Address",
      cell: (each) => (
        <Link to={`${base}/webhooks/${each.id}`} search={{}} className="strong wrap-anywhere">
          {each.url}
        </Link>
      ),
    },
    { name: "State", cell: (each) => <EndpointState endpoint={each} /> },
    { name: "Delivered, 24 h", cell: (each) => <Success endpointId={each.id} /> },
    { name: "Events", cell: (each) => (each.events.includes("*") ? "All" : each.events.length) },
    {
      name: "Description",
      cell: (each) => <span className="muted">{each.description ?? "–"}</span>,
    },
    { name: "Created", right: true, cell: (each) => <Time at={each.created_at} /> },
  ];
  return (
    <Table
      label="Endpoints"
      columns={columns}
      rows={props.endpoints}
      keyOf={(each) => each.id}
      links
    />
  );
}

/** Recent success rate of the endpoint. */
function Success(props: { endpointId: string }) {
  const health = useHealth(props.endpointId);
  if (health === null) return <span className="muted">–</span>;
  return (
    <span title={`Of the newest ${plural(health.attempts, "attempt")}`}>
      <Badge tone={health.tone} word={formatPercent(health.rate)} />
    </span>
  );
}
