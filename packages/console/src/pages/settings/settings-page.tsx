import type { Account } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Id } from "../../ui/copy.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatUsd } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Rename } from "./rename.tsx";
import { RetentionCard } from "./retention-card.tsx";
import { SendingCard } from "./sending-card.tsx";
import { VerifiedNumbersCard } from "./verified-numbers-card.tsx";

export function SettingsPage() {
  const { base } = useAccount();
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  return (
    <Page
      title="Settings"
      about="The account, its verified test phones, sending, and opt-outs."
      narrow
    >
      <Loaded query={account}>
        {(value) => (
          <div className="stack-wide">
            {value.live_access !== "granted" && (
              <Note tone="blue">
                <strong>Sandbox only.</strong> Every call works, and nothing leaves the machine.{" "}
                <Link to={`${base}/live-access`} search={{}}>
                  Request live access
                </Link>
                .
              </Note>
            )}
            <Card title="Account" aside={<Rename name={value.name} />}>
              <Facts
                facts={[
                  { name: "Name", value: <span className="wrap-anywhere">{value.name}</span> },
                  { name: "Id", value: <Id value={value.id} whole /> },
                  { name: "Status", value: <Status machine="account" state={value.status} /> },
                  {
                    name: "Live access",
                    value: <Status machine="live_access" state={value.live_access} />,
                  },
                  value.billing.enabled
                    ? {
                        name: "Balance",
                        value: <span className="tabular">{formatUsd(value.balance_usd)}</span>,
                      }
                    : null,
                ]}
              />
            </Card>
            <VerifiedNumbersCard />
            <SendingCard account={value} />
            <RetentionCard account={value} />
            <Phrases account={value} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Phrases(props: { account: Account }) {
  const mayChange = useHasRole("admin");
  const save = useAct(
    (value: "opt_out" | "flag", { api }) => api.account.update({ phrase_opt_out: value }),
    { stale: ["account"], onDone: () => toast("Saved.") },
  );
  return (
    <Card title="Opt-outs in free text">
      <div className="stack">
        <p className="muted">
          Keywords such as STOP always opt out. This decides about plain requests: “please stop
          texting me”.
        </p>
        <SelectField
          label="A request in other words"
          disabled={!mayChange || save.isPending}
          value={props.account.phrase_opt_out}
          choices={[
            { value: "opt_out", label: "Opts the person out" },
            { value: "flag", label: "Is flagged for you to read" },
          ]}
          onChange={(event) => save.mutate(event.target.value as "opt_out" | "flag")}
        />
        {save.error ? <ErrorBox error={save.error} /> : null}
      </div>
    </Card>
  );
}
