import type { Account } from "@longwave/sdk";
import { useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { sessionQuery } from "../../api/session.ts";
import { useDraft } from "../../draft.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { AreaField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";

/** The status may change while the page is open: the operator decides elsewhere. */
const REFETCH_MS = 15_000;

const EMPTY_REQUEST = { company: "", website: "", use_case: "", monthly_volume: "" };

export function LiveAccessPage() {
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }), {
    refetchMs: REFETCH_MS,
  });
  return (
    <Page
      title="Live access"
      about="From simulated texts to real ones: the operator of this installation reviews who sends what."
      narrow
    >
      <Loaded query={account}>{(value) => <Body account={value} />}</Loaded>
    </Page>
  );
}

function Body(props: { account: Account }) {
  const { live_access: state } = props.account;
  const { account } = useAccount();
  if (state === "granted") {
    return (
      <div className="list">
        <Empty
          icon="check"
          title="This account is live"
          action={
            <ButtonLink to={`/${account.id}/live/`} kind="primary">
              Go to live
            </ButtonLink>
          }
        >
          Texts are delivered to phones and cost what the prices say.
        </Empty>
      </div>
    );
  }
  return (
    <div className="stack-wide">
      {state === "requested" && (
        <Note tone="blue">
          <Status machine="live_access" state={state} /> The operator has your request. You may
          still correct it: what you send replaces it.
        </Note>
      )}
      {state === "rejected" && (
        <Note tone="red">The last request was rejected. Correct it, and ask again.</Note>
      )}
      <RequestForm isAgain={state !== "none"} />
    </div>
  );
}

function RequestForm(props: { isAgain: boolean }) {
  const mayAsk = useHasRole("admin");
  const client = useQueryClient();
  const form = useDraft("live-access", EMPTY_REQUEST);
  const { company, website, use_case, monthly_volume } = form.value;
  const ask = useAct(
    (_: undefined, { api }) =>
      api.liveAccess.request(
        { company, website, use_case, monthly_volume: Number(monthly_volume) },
        { idempotencyKey: form.idempotencyKey },
      ),
    {
      stale: ["account", "home"],
      onDone: () => {
        form.clear();
        void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
        toast("Requested. The operator reviews it next.");
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate(undefined);
  };
  return (
    <Card title={props.isAgain ? "Request access again" : "Request access"}>
      <form className="stack" onSubmit={submit}>
        <fieldset className="bare stack" disabled={!mayAsk}>
          <TextField
            label="Company"
            required
            value={company}
            error={errorAt(ask.error, "company")}
            onChange={(event) => form.set({ company: event.target.value })}
          />
          <TextField
            label="Website"
            required
            type="url"
            placeholder="https://hillside.example.com"
            value={website}
            error={errorAt(ask.error, "website")}
            onChange={(event) => form.set({ website: event.target.value })}
          />
          <AreaField
            label="Use case"
            required
            rows={3}
            value={use_case}
            error={errorAt(ask.error, "use_case")}
            onChange={(event) => form.set({ use_case: event.target.value })}
          />
          <TextField
            label="Texts a month"
            required
            type="number"
            min={1}
            value={monthly_volume}
            error={errorAt(ask.error, "monthly_volume")}
            onChange={(event) => form.set({ monthly_volume: event.target.value })}
          />
        </fieldset>
        {errorBeside(ask.error, ["company", "website", "use_case", "monthly_volume"]) !== null && (
          <ErrorBox error={ask.error} />
        )}
        {mayAsk ? (
          <div className="row">
            <Button type="submit" kind="primary" busy={ask.isPending}>
              Request access
            </Button>
          </div>
        ) : (
          <p className="meta">Only an admin or owner of the account can ask.</p>
        )}
      </form>
    </Card>
  );
}
