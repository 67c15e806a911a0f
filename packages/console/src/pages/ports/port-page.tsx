import { Link, useParams } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Id } from "../../ui/copy.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { StateStepper } from "../../ui/state-stepper.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { providerTitle } from "../imports/words.ts";
import { formatDate, NEXT_STEP, USUAL_STATUSES } from "./statuses.ts";

const REFETCH_MS = 10_000;

export function PortPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const request = useRead(["ports", id], (api, signal) => api.portRequests.get(id, { signal }), {
    refetchMs: REFETCH_MS,
  });
  return (
    <Page
      title={request.data ? formatPhone(request.data.phone_number) : "Port request"}
      crumb={{ to: `${base}/ports`, label: "Port requests" }}
      narrow
    >
      <Loaded query={request}>
        {(value) => (
          <div className="stack-wide">
            <Card title="Status">
              <div className="stack">
                <StateStepper machine="port_request" state={value.status} way={USUAL_STATUSES} />
                {value.reason !== null && <Note tone="red">{value.reason}</Note>}
                <p className="muted">{NEXT_STEP[value.status]}</p>
                {value.status === "complete" && (
                  <Link to={`${base}/numbers/${value.phone_number}`} search={{}}>
                    See the number
                  </Link>
                )}
              </div>
            </Card>
            <Card title="Details">
              <Facts
                facts={[
                  { name: "Number", value: <Phone value={value.phone_number} /> },
                  { name: "From", value: providerTitle(value.provider) },
                  value.foc_date === null
                    ? null
                    : { name: "Port date", value: formatDate(value.foc_date) },
                  { name: "Id", value: <Id value={value.id} /> },
                  { name: "Asked for", value: <Time at={value.created_at} /> },
                  { name: "Updated", value: <Time at={value.updated_at} /> },
                ]}
              />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
