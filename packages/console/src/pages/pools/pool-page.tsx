import type { Pool } from "@longwave/sdk";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAccount, useMay } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Id } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { MembersField } from "./members-field.tsx";

export function PoolPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { base } = useAccount();
  const pool = useRead(["pools", id], (api, signal) => api.pools.get(id, { signal }));
  return (
    <Page
      title={pool.data?.name ?? "Sender pool"}
      crumb={{ to: `${base}/pools`, label: "Sender pools" }}
      actions={
        <ButtonLink to={`${base}/messages/new`} search={{ from: id }} icon="send">
          Send from it
        </ButtonLink>
      }
    >
      <Loaded query={pool}>
        {(value) => (
          <div className="columns">
            <Edit key={value.id} pool={value} />
            <Card title="Details">
              <Facts
                facts={[
                  { name: "Id", value: <Id value={value.id} /> },
                  { name: "Created", value: <Time at={value.created_at} /> },
                  {
                    name: "Members",
                    value: value.numbers.map((phone) => (
                      <div key={phone}>
                        <Phone value={phone} />
                      </div>
                    )),
                  },
                ]}
              />
            </Card>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Edit(props: { pool: Pool }) {
  const { pool } = props;
  const { base } = useAccount();
  const mayEdit = useMay("member");
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
