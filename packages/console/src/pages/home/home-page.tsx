import type { Account } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAccount, useMay } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { formatCount, formatPercent, formatPhone, formatUsd } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { Status } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { sendSamples } from "../messages/samples.ts";
import { type StartStep, useStartSteps } from "./start-steps.ts";

export function HomePage() {
  const { account, base } = useAccount();
  const maySend = useMay("member");
  const read = useRead(["home", "account"], (api, signal) => api.account.get({ signal }));
  return (
    <Page
      title="Home"
      heading={account.name}
      actions={
        maySend && (
          <>
            <ButtonLink to={`${base}/batches/new`} icon="batch">
              New batch
            </ButtonLink>
            <ButtonLink to={`${base}/messages/new`} kind="primary" icon="send">
              Send a text
            </ButtonLink>
          </>
        )
      }
    >
      <div className="stack-wide">
        <Start />
        <Loaded query={read}>{(value) => <Figures account={value} />}</Loaded>
        <div className="columns">
          <Recent />
          <FirstCall />
        </div>
      </div>
    </Page>
  );
}

/** The steps tick from what is stored; the card leaves when all are done. */
function Start() {
  const steps = useStartSteps();
  const done = steps.filter((step) => step.isDone).length;
  if (done === steps.length) return null;
  return (
    <section className="card">
      <div className="card-head" style={{ borderBottom: 0 }}>
        <h2>Get started</h2>
        <span className="meta tabular">
          {done} of {steps.length} done
        </span>
      </div>
      <div className="start-steps">
        {steps.map((step) => (
          <Step key={step.title} step={step} />
        ))}
      </div>
    </section>
  );
}

function Step(props: { step: StartStep }) {
  const { base } = useAccount();
  const { step } = props;
  return (
    <Link to={`${base}/${step.path}`} search={{}} className="start-step" data-done={step.isDone}>
      <span className="tick" data-done={step.isDone}>
        <Icon name="check" size={12} />
      </span>
      <span>
        <b>{step.title}</b>
        <span className="meta">{step.about}</span>
        {step.isDone && <span className="sr-only">, done</span>}
      </span>
    </Link>
  );
}

function Figures(props: { account: Account }) {
  const stats = useRead(["home", "verify"], (api, signal) =>
    api.verify.stats({ hours: 24 }, { signal }),
  );
  const failed = useRead(["home", "failed"], (api, signal) =>
    api.messages.list({ status: "failed", limit: 100 }, { signal }),
  );
  const conversion = stats.data?.totals.conversion ?? null;
  const figures = [
    { name: "Balance", value: formatUsd(props.account.balance_usd), note: "prepaid" },
    {
      name: "Free texts left",
      value: formatCount(props.account.free_allowance.texts_left),
      note: "this month",
    },
    {
      name: "Codes sent",
      value: formatCount(stats.data?.totals.sent ?? 0),
      note:
        conversion === null ? "in 24 hours" : `${formatPercent(conversion)} approved in 24 hours`,
    },
    {
      name: "Failed texts",
      value: failed.data?.has_more ? "100+" : formatCount(failed.data?.data.length ?? 0),
      note: "of all that are kept",
    },
  ];
  return (
    <div className="tiles">
      {figures.map((each) => (
        <div key={each.name} className="card card-body">
          <div className="figure-label">{each.name}</div>
          <div className="figure">{each.value}</div>
          <div className="meta">{each.note}</div>
        </div>
      ))}
    </div>
  );
}

const RECENT_SHOWN = 8;

function Recent() {
  const { base } = useAccount();
  const recent = useRead(["home", "recent"], (api, signal) =>
    api.messages.list({ limit: RECENT_SHOWN }, { signal }),
  );
  const rows = recent.data?.data ?? [];
  return (
    <Card
      title="Newest messages"
      flush
      aside={
        <Link to={`${base}/messages`} search={{}}>
          See all
        </Link>
      }
    >
      {rows.length === 0 ? (
        <p className="card-body muted">Nothing has been sent or received yet.</p>
      ) : (
        <ul>
          {rows.map((row) => (
            <li key={row.id}>
              <Link to={`${base}/messages/${row.id}`} search={{}} className="alarm">
                <Status machine="message" state={row.status} />
                <span className="nowrap">
                  {formatPhone(row.direction === "outbound" ? row.to : row.from)}
                </span>
                <span className="muted cut grow">{row.body}</span>
                <span className="meta nowrap">
                  <Time at={row.created_at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function FirstCall() {
  const { mode } = useAccount();
  const numbers = useRead(["numbers", "first"], (api, signal) =>
    api.numbers.list({ mode, limit: 1 }, { signal }),
  );
  const from = numbers.data?.data[0]?.phone_number ?? "+15005550100";
  return (
    <Card title="Send one from your code">
      <div className="stack">
        <Code samples={sendSamples({ from, to: "+15005550000", body: "Hello from Longwave" })} />
        <p className="meta">
          Put your key into LONGWAVE_KEY. The text shows up on this page by itself.
        </p>
      </div>
    </Card>
  );
}
