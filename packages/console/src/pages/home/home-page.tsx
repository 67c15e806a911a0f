import { Link } from "@tanstack/react-router";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { MessageRows } from "../messages/message-rows.tsx";
import { Alarms } from "./alarms.tsx";
import { FirstCall } from "./first-call.tsx";
import { type StartStep, startSteps, useHome } from "./start-steps.ts";
import { Traffic } from "./traffic.tsx";

export function HomePage() {
  const { account, base } = useAccount();
  const maySend = useHasRole("member");
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
        <Alarms />
        <Traffic />
        <div className="columns">
          <Recent />
          <FirstCall />
        </div>
      </div>
    </Page>
  );
}

/** Setup steps, ticked by stored data; the card disappears when all are done. */
function Start() {
  const home = useHome();
  const steps = home ? startSteps(home) : null;
  if (steps === null) return null;
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

const RECENT_SHOWN = 8;

function Recent() {
  const { base } = useAccount();
  const recent = useRead(["home", "recent"], (api, signal) =>
    api.messages.list({ limit: RECENT_SHOWN }, { signal }),
  );
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
      <MessageRows rows={recent.data?.data ?? []} empty="Nothing has been sent or received yet." />
    </Card>
  );
}
