import { FREE_TEXTS_PER_MONTH, FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract/tables";
import type { Account } from "@longwave/sdk";
import { useMay } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Bars } from "../../ui/chart.tsx";
import { Id } from "../../ui/copy.tsx";
import { SelectField } from "../../ui/field.tsx";
import { formatCount, formatUsd } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";

export function SettingsPage() {
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  return (
    <Page title="Settings" about="The account, its balance and how it treats opt-outs." narrow>
      <Loaded query={account}>
        {(value) => (
          <div className="stack-wide">
            {value.live_access !== "granted" && (
              <Note tone="blue">
                <strong>Sandbox only.</strong> Live access is granted by the operator of this
                installation. Until then every call works and nothing leaves the machine.
              </Note>
            )}
            <Card title="Account">
              <Facts
                facts={[
                  { name: "Name", value: value.name },
                  { name: "Id", value: <Id value={value.id} whole /> },
                  { name: "Status", value: <Status machine="account" state={value.status} /> },
                  {
                    name: "Live access",
                    value: <Status machine="live_access" state={value.live_access} />,
                  },
                  {
                    name: "Balance",
                    value: <span className="tabular">{formatUsd(value.balance_usd)}</span>,
                  },
                ]}
              />
            </Card>
            <Allowance account={value} />
            <Phrases account={value} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Allowance(props: { account: Account }) {
  const { free_allowance: free } = props.account;
  const rows = [
    { key: "texts", name: "Texts", left: free.texts_left, of: FREE_TEXTS_PER_MONTH },
    {
      key: "codes",
      name: "Verifications",
      left: free.verifications_left,
      of: FREE_VERIFICATIONS_PER_MONTH,
    },
  ];
  return (
    <Card
      title="Free this month"
      foot={
        <span>
          Renewed <Time at={free.resets_at} />
        </span>
      }
    >
      <Bars
        color="--c-delivered"
        max={100}
        bars={rows.map((row) => ({
          key: row.key,
          name: row.name,
          value: (row.left / row.of) * 100,
          shown: `${formatCount(row.left)} of ${formatCount(row.of)} left`,
        }))}
      />
    </Card>
  );
}

function Phrases(props: { account: Account }) {
  const mayChange = useMay("admin");
  const save = useAct(
    (value: "opt_out" | "flag", { api }) => api.account.update({ phrase_opt_out: value }),
    { stale: ["account"], onDone: () => toast("Saved.") },
  );
  return (
    <Card title="Opt-outs in other words">
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
