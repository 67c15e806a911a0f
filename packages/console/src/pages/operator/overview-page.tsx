import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Card, Page } from "../../ui/page.tsx";
import { Note } from "../../ui/problem.tsx";
import { Badge, Status } from "../../ui/status.tsx";
import { Tiles } from "../../ui/tiles.tsx";
import { Time } from "../../ui/values.tsx";
import { InstallationCard } from "./installation-card.tsx";
import { secondsBehind, useReadiness } from "./readiness.ts";
import { requestedAt, waitingAccounts, waitingRegistrations } from "./review-queues.ts";

const REFETCH_MS = 5_000;

/** Queues with the age of their oldest entry, and the health of the installation. */
export function OperatorOverviewPage() {
  return (
    <Page title="Overview" about="Open tasks, and the state of the installation.">
      <div className="stack-wide">
        <Alarms />
        <Queues />
        <InstallationCard />
        <div className="halves">
          <Links />
          <Health />
        </div>
      </div>
    </Page>
  );
}

function Queues() {
  const registrations = useRead(["op-reviews", "registrations"], waitingRegistrations, {
    refetchMs: REFETCH_MS,
  });
  const accounts = useRead(["op-reviews", "accounts"], waitingAccounts, { refetchMs: REFETCH_MS });
  const blocks = useRead(
    ["op-blocks", "first"],
    (api, signal) => api.operator.verifyBlocks.list({ limit: 100 }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  const ports = useRead(
    ["op-ports", "first"],
    (api, signal) =>
      api.operator.portRequests.list({ status: "requested", limit: 100 }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  const oldestRegistration = registrations.data?.[0];
  const oldestAccount = accounts.data?.[0];
  return (
    <Tiles
      tiles={[
        {
          name: "Registrations to review",
          value: countOf(registrations.data),
          link: { to: "/op/reviews", search: {} },
          note: <OldestSince at={oldestRegistration?.updated_at} />,
        },
        {
          name: "Live access to decide",
          value: countOf(accounts.data),
          link: { to: "/op/reviews", search: { tab: "live-access" } },
          note: <OldestSince at={oldestAccount && requestedAt(oldestAccount)} />,
        },
        {
          name: "Port requests to file",
          value: countOf(ports.data?.data, ports.data?.has_more),
          link: { to: "/op/ports", search: { status: "requested" } },
          note: ports.data?.has_more ? null : <OldestSince at={oldestOf(ports.data?.data)} />,
        },
        {
          name: "Fraud blocks",
          value: countOf(blocks.data?.data, blocks.data?.has_more),
          link: { to: "/op/blocks", search: {} },
          note: blocks.data?.has_more ? null : <OldestSince at={oldestOf(blocks.data?.data)} />,
        },
      ]}
    />
  );
}

function OldestSince(props: { at: string | undefined }): ReactNode {
  if (props.at === undefined) return "None";
  return (
    <>
      oldest <Time at={props.at} />
    </>
  );
}

function oldestOf(all: readonly { readonly created_at: string }[] = []): string | undefined {
  return all.map((each) => each.created_at).toSorted()[0];
}

function countOf(all: readonly unknown[] | undefined, hasMore = false): string {
  return all === undefined ? "–" : `${formatCount(all.length)}${hasMore ? "+" : ""}`;
}

function Alarms() {
  const readiness = useReadiness();
  if (!readiness.data) return null;
  const { checks } = readiness.data;
  const carriers = checks["carriers"];
  const unserved = (carriers?.["numbers_without_carrier"] ?? []) as string[];
  const stranded = (carriers?.["numbers_without_link"] ?? []) as string[];
  return (
    <>
      {!readiness.data.ready && (
        <Note tone="red">
          This installation is not ready. <Link to="/op/system">See what is wrong</Link>.
        </Note>
      )}
      {unserved.length > 0 && (
        <Note tone="red">No carrier serves {plural(unserved.length, "live number")}.</Note>
      )}
      {stranded.length > 0 && (
        <Note tone="red">
          The carriers of {plural(stranded.length, "live number")} are down; their texts wait.
        </Note>
      )}
    </>
  );
}

function Links() {
  const carriers = useRead(
    ["op-carriers"],
    (api, signal) => api.operator.carriers.list({ limit: 100 }, { signal }),
    { refetchMs: REFETCH_MS },
  );
  return (
    <Card title="Carriers" flush aside={<Link to="/op/carriers">All carriers</Link>}>
      <Loaded query={carriers}>
        {(page) =>
          page.data.length === 0 ? (
            <p className="card-body muted">None is configured: live texts wait.</p>
          ) : (
            <ul>
              {page.data.map((link) => (
                <li key={link.name} className="alarm">
                  <span className="strong grow">{link.name}</span>
                  <span className="meta">
                    {link.binds.length > 0 &&
                      `${link.binds.filter((bind) => bind.state === "up").length} of ${link.binds.length} binds`}
                  </span>
                  <Status machine="carrier" state={link.state} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function Health() {
  const readiness = useReadiness();
  return (
    <Card title="Background jobs" aside={<Link to="/op/system">System</Link>}>
      <Loaded query={readiness}>
        {(value) => {
          const late = secondsBehind(value).filter(([, seconds]) => seconds > 0);
          return late.length === 0 ? (
            <p>
              <Badge tone="green" icon="check" word="On schedule" />
            </p>
          ) : (
            <ul className="stack-tight">
              {late.map(([lane, seconds]) => (
                <li key={lane} className="row-apart">
                  <code>{lane}</code>
                  <span className="tabular">{formatCount(seconds)} s behind</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Card>
  );
}
