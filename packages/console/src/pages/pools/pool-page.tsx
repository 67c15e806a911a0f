import type { Pool } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Bars } from "../../ui/chart.tsx";
import { Copy, Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { formatCount, formatPercent, plural } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { useTraffic } from "../deliverability/use-traffic.ts";
import { MembersField } from "./members-field.tsx";

export function PoolPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const maySend = useHasRole("member");
  const pool = useRead(["pools", id], (api, signal) => api.pools.get(id, { signal }));
  return (
    <Page
      title={pool.data?.name ?? "Sender pool"}
      crumb={{ to: `${base}/pools`, label: "Sender pools" }}
      actions={
        maySend && (
          <ButtonLink to={`${base}/messages/new`} search={{ from: id }} icon="send">
            Send from it
          </ButtonLink>
        )
      }
    >
      <Loaded query={pool}>
        {(value) => (
          <div className="columns">
            <Edit key={value.id} pool={value} />
            <div className="stack-wide">
              <Shares pool={value} />
              <Card title="Details">
                <Facts
                  facts={[
                    { name: "Id", value: <Id value={value.id} /> },
                    value.twilio_service_sid === null
                      ? null
                      : {
                          name: "Messaging service sid",
                          value: <Copy text={value.twilio_service_sid} />,
                        },
                    { name: "Created", value: <Time at={value.created_at} /> },
                    { name: "Members", value: formatCount(value.numbers.length) },
                  ]}
                />
              </Card>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

const MEMBERS_SHOWN = 20;

/** Share of the pool's messages that each member sent. */
function Shares(props: { pool: Pool }) {
  const { numbers } = props.pool;
  const traffic = useTraffic("pools", props.pool.id);
  return (
    <Card
      title="Share of each member"
      foot={<span>Of the texts that they sent in the last 30 days.</span>}
    >
      <Loaded query={traffic}>
        {({ totals, by_number }) => {
          const sentBy = new Map(by_number.map((each) => [each.phone_number, each.sent]));
          const idle = numbers.filter((phone) => !sentBy.has(phone));
          const members = [...sentBy.keys(), ...idle];
          const others = members.length - MEMBERS_SHOWN;
          return (
            <div className="stack">
              <Bars
                color="--c-sent"
                max={Math.max(1, totals.sent)}
                bars={members.slice(0, MEMBERS_SHOWN).map((phone) => {
                  const sent = sentBy.get(phone) ?? 0;
                  const share = totals.sent === 0 ? 0 : sent / totals.sent;
                  return {
                    key: phone,
                    name: <Phone value={phone} />,
                    value: sent,
                    shown: `${formatPercent(share)} · ${formatCount(sent)}`,
                  };
                })}
              />
              {others > 0 && <p className="meta">And {plural(others, "other member")}.</p>}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Edit(props: { pool: Pool }) {
  const { pool } = props;
  const { base } = useAccount();
  const mayEdit = useHasRole("member");
  const navigate = useNavigate();
  const [name, setName] = useState(pool.name);
  const [numbers, setNumbers] = useState<readonly string[]>(pool.numbers);
  const [isAsking, setIsAsking] = useState(false);
  const save = useAct(
    (_: undefined, { api }) => api.pools.update(pool.id, { name, numbers: [...numbers] }),
    { stale: ["pools", "numbers"], onDone: () => toast("Saved.") },
  );
  const remove = useAct((_: undefined, { api }) => api.pools.delete(pool.id), {
    stale: ["pools", "numbers"],
    onDone: () => void navigate({ to: `${base}/pools`, search: {} } as never),
  });
  if (!mayEdit) return <div />;
  return (
    <Card
      title="Members"
      foot={
        <Button kind="danger" size="small" onClick={() => setIsAsking(true)}>
          Delete the pool
        </Button>
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined);
        }}
      >
        <TextField
          label="Name"
          required
          value={name}
          error={errorAt(save.error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        <MembersField value={numbers} onChange={setNumbers} />
        {errorBeside(save.error, ["name"]) !== null && <ErrorBox error={save.error} />}
        <div className="row">
          <Button type="submit" kind="primary" busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
      <Confirm
        title={`Delete ${pool.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the pool"
        busy={remove.isPending}
        error={remove.error}
      >
        Its numbers stay. Calls that send from this pool are refused afterwards.
      </Confirm>
    </Card>
  );
}
