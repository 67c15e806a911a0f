import type { CarrierBind, CarrierLink } from "@longwave/sdk";
import { Link } from "@tanstack/react-router";
import { useAct, useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount, formatPercent } from "../../ui/format.ts";
import { Card, Facts, Page } from "../../ui/page.tsx";
import { ErrorBox, Note } from "../../ui/problem.tsx";
import { Sparkline } from "../../ui/sparkline.tsx";
import { Status } from "../../ui/status.tsx";
import { toast } from "../../ui/toast.tsx";
import { Countdown, Time } from "../../ui/values.tsx";

const REFRESH_MS = 2_000;

export function CarriersPage() {
  const carriers = useRead(
    ["op-carriers"],
    (api, signal) => api.operator.carriers.list({ limit: 100 }, { signal }),
    {
      refetchMs: REFRESH_MS,
    },
  );
  const reload = useAct(
    (_: undefined, { api, idempotencyKey }) => api.operator.carriers.reload({ idempotencyKey }),
    {
      stale: ["op-carriers"],
      onDone: () => toast("The carriers file was read again."),
    },
  );
  return (
    <Page
      title="Carriers"
      about="The links to the networks, in order of priority. Updates every 2 s."
      actions={
        <>
          <Button icon="retry" busy={reload.isPending} onClick={() => reload.mutate(undefined)}>
            Reload the file
          </Button>
          <ButtonLink to="/op/add-carrier" kind="primary" icon="plus">
            Add carrier
          </ButtonLink>
        </>
      }
    >
      {/* A file with a mistake changes nothing; the error names its position. */}
      {reload.error ? <ErrorBox error={reload.error} /> : null}
      <Loaded query={carriers}>
        {(page) =>
          page.data.length === 0 ? (
            <div className="list">
              <Empty icon="tower" title="No carrier is configured">
                Add a provider, or write an SMPP carrier into the carriers file. Until then live
                texts wait and the sandbox works.
              </Empty>
            </div>
          ) : (
            <div className="stack-wide">
              <Unserved numbers={unservedOf(page)} />
              <div className="halves">
                {page.data.map((link) => (
                  <CarrierCard key={link.name} link={link} />
                ))}
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function CarrierCard({ link }: { link: CarrierLink }) {
  const isUp = link.state === "up";
  return (
    <Card
      title={<CarrierName name={link.name} />}
      aside={<Status machine="carrier" state={link.state} />}
    >
      <div className="stack">
        {!isUp && <WhyDown link={link} />}
        <Rates link={link} />
        <Sparkline
          label={`Texts in the last ten minutes: ${formatCount(totalOf(link.recent_texts))}`}
          values={link.recent_texts}
          color={isUp ? "--c-sent" : "--c-queued"}
        />
        <Facts
          facts={[
            { name: "Protocol", value: link.type },
            {
              name: "Numbers",
              value: link.numbers === "*" ? "All" : formatCount(link.numbers.length),
            },
            { name: "Priority", value: formatCount(link.priority) },
            {
              name: "Window",
              value: `${formatCount(link.window)} for each bind`,
            },
            ...link.binds.map((bind, index) => ({
              name: `Bind ${index + 1}`,
              value: <BindLine bind={bind} />,
            })),
            isUp && link.last_error !== null
              ? { name: "Last trouble", value: link.last_error }
              : null,
          ]}
        />
      </div>
    </Card>
  );
}

function CarrierName({ name }: { name: string }) {
  return (
    <h2>
      <Link to={`/op/carriers/${name}`} search={{}}>
        {name}
      </Link>
    </h2>
  );
}

function WhyDown({ link }: { link: CarrierLink }) {
  const [next] = link.binds.flatMap((bind) => bind.next_try_at ?? []).toSorted();
  const [since] = link.binds.flatMap((bind) => bind.since ?? []).toSorted();
  return (
    <Note tone="red">
      {since !== undefined && (
        <>
          Down since <Time at={since} />.{" "}
        </>
      )}
      {link.last_error}
      {next !== undefined && (
        <>
          {" · "}
          Next try <Countdown until={next} />
        </>
      )}
    </Note>
  );
}

/** Present rate of a carrier, and its limit. */
function Rates({ link }: { link: CarrierLink }) {
  const bound = link.binds.filter((bind) => bind.state === "up").length;
  const inFlight = totalOf(link.binds.map((bind) => bind.in_flight));
  const figures = [
    link.binds.length > 0 && {
      name: "Binds",
      value: `${formatCount(bound)} of ${formatCount(link.binds.length)}`,
    },
    {
      name: "Texts a second",
      value: ofRate(link),
    },
    {
      name: "In flight",
      value: `${formatCount(inFlight)} of ${formatCount(link.window_total)}`,
    },
    {
      name: "Receipts, last hour",
      value: link.receipt_rate === null ? "–" : formatPercent(link.receipt_rate),
    },
  ];
  return (
    <dl className="figures">
      {figures
        .filter((figure) => figure !== false)
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function ofRate({ texts_per_second: now, rate }: CarrierLink): string {
  return rate === null
    ? `${formatCount(now)}, no limit`
    : `${formatCount(now)} of ${formatCount(rate)}`;
}

function BindLine({ bind }: { bind: CarrierBind }) {
  return (
    <>
      {bind.state}
      {bind.since !== null && (
        <>
          {" "}
          since <Time at={bind.since} />
        </>
      )}
      {bind.owner !== null && `, owned by ${bind.owner}`}, {formatCount(bind.in_flight)} in flight
      {bind.next_try_at !== null && (
        <>
          , next try <Countdown until={bind.next_try_at} />
        </>
      )}
    </>
  );
}

function totalOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Numbers that no link serves, a field beside the links in the list. */
function unservedOf(page: object): readonly string[] {
  return (page as { numbers_without_carrier?: string[] }).numbers_without_carrier ?? [];
}

function Unserved({ numbers }: { numbers: readonly string[] }) {
  if (numbers.length === 0) return null;
  return (
    <Note tone="red">
      No carrier serves {numbers.join(", ")}. Their texts wait: add the numbers to the carriers file
      and reload it.
    </Note>
  );
}
