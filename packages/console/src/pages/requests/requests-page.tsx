import type { ApiKey, Page as ListPage } from "@longwave/sdk";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useConsoleRead } from "../../api/console-queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatTook } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { RoleNeeded } from "../../ui/role-needed.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Time } from "../../ui/values.tsx";
import { type LoggedRequest, listRequests, toneOf } from "./request.ts";
import { type SearchEnd, searchRequests } from "./search.ts";

const PAGE_ITEMS = 100;
/** Poll interval of the open log: requests emit no events. A search polls less often. */
const POLL_MS = 3_000;
const SEARCH_POLL_MS = 10_000;
const QUERY = ["status", "method", "path", "code", "key", "request_id"] as const;

const FILTERS: readonly FilterSpec[] = [
  {
    name: "status",
    label: "Any status",
    kind: "choice",
    choices: [
      { value: "2xx", label: "Success (2xx)" },
      { value: "4xx", label: "Client error (4xx)" },
      { value: "5xx", label: "Failed (5xx)" },
    ],
  },
  {
    name: "method",
    label: "Any method",
    kind: "choice",
    choices: ["GET", "POST", "PATCH", "DELETE"].map((value) => ({ value, label: value })),
  },
  { name: "path", label: "Path begins with", kind: "text" },
  { name: "code", label: "Error code", kind: "text" },
  { name: "request_id", label: "Request id", kind: "text" },
];

const COLUMNS: readonly Column<LoggedRequest>[] = [
  {
    name: "Call",
    width: "minmax(180px, 1.4fr)",
    cell: (row) => (
      <span className="mono">
        <b>{row.method}</b> {row.path}
      </span>
    ),
  },
  {
    name: "Status",
    width: "70px",
    cell: (row) => <Badge tone={toneOf(row.status)} word={String(row.status)} />,
  },
  {
    name: "Code",
    width: "minmax(110px, 0.7fr)",
    wideOnly: true,
    cell: (row) =>
      row.code === null ? (
        <span className="muted">{row.replayed ? "replayed" : "–"}</span>
      ) : (
        <span className="cut" title={row.message ?? undefined}>
          <code>{row.code}</code> {row.param !== null && <span className="muted">{row.param}</span>}
        </span>
      ),
  },
  {
    name: "Duration",
    width: "84px",
    right: true,
    wideOnly: true,
    cell: (row) => formatTook(row.duration_ms),
  },
  {
    name: "Key",
    width: "minmax(90px, 0.6fr)",
    wideOnly: true,
    cell: (row) => row.key.name ?? <Id value={row.key.id} />,
  },
  { name: "Request", width: "150px", wideOnly: true, cell: (row) => <Id value={row.id} /> },
  {
    name: "When",
    width: "104px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function RequestsPage() {
  const mayRead = useHasRole("member");
  const { base } = useAccount();
  return (
    <Page
      title="Request log"
      about="API calls of the last seven days. A refused call shows its field, its error and, in the sandbox, its body."
      actions={<ButtonLink to={`${base}/keys`}>API keys</ButtonLink>}
    >
      {mayRead ? <Requests /> : <RoleNeeded needed="member" what="the request log" />}
    </Page>
  );
}

/** Filters of the log. Keys are chosen by name, unnamed ones by their last characters. */
function useRequestFilters(): readonly FilterSpec[] {
  const { mode } = useAccount();
  const keys = useConsoleRead<ListPage<ApiKey>>("keys");
  const choices = (keys.data?.data ?? [])
    .filter((key) => key.mode === mode)
    .map((key) => ({ value: key.id, label: key.name ?? `…${key.last4 ?? key.id}` }));
  return [...FILTERS, { name: "key", label: "Any key", kind: "choice", choices }];
}

function Requests() {
  const { scope, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, QUERY);
  const from = useSearchEnds([scope, query]);
  const isFiltered = Object.keys(query).length > 0;
  const pollMs = isFiltered ? SEARCH_POLL_MS : POLL_MS;
  return (
    <>
      <FilterBar filters={useRequestFilters()} />
      <List
        label="Requests"
        source={{
          key: ["requests", query, from.start ?? ""],
          pageItems: PAGE_ITEMS,
          fetch: async (cursor, signal) => {
            const { page, end } = await searchRequests(
              (more) => listRequests(scope, { ...query, ...more }, signal),
              PAGE_ITEMS,
              cursor ?? from.start,
            );
            if (end !== null) from.ended(end);
            return page;
          },
          peek: (signal) => listRequests(scope, { ...query, limit: PAGE_ITEMS }, signal),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/requests/${row.id}`}
        beside
        // The result of a search of older requests does not grow.
        {...(from.start === undefined && { grows: { pollMs } })}
        tail
        readOtherMode={(_, signal, otherMode) => listRequests([scope[0], otherMode], query, signal)}
        empty={<NoRequests isFiltered={isFiltered} isPart={from.end !== null} />}
      />
      {from.end !== null && <SearchOn end={from.end} onGo={from.goOn} />}
    </>
  );
}

/** Start and end of the present search, until the filters change. */
function useSearchEnds(of: unknown) {
  const key = JSON.stringify(of);
  const [state, setState] = useState<{
    readonly key: string;
    readonly start: string | undefined;
    readonly ends: Readonly<Record<string, SearchEnd>>;
  }>({ key, start: undefined, ends: {} });
  const { start, ends } = state.key === key ? state : { start: undefined, ends: {} };
  const startKey = start ?? "";
  return {
    start,
    end: (ends as Readonly<Record<string, SearchEnd>>)[startKey] ?? null,
    ended: (end: SearchEnd) => setState({ key, start, ends: { ...ends, [startKey]: end } }),
    goOn: (end: SearchEnd) => setState({ key, start: end.cursor, ends }),
  };
}

function SearchOn(props: { end: SearchEnd; onGo: (end: SearchEnd) => void }) {
  const { end, onGo } = props;
  return (
    <div className="row">
      <span className="meta">
        Searched back to <Time at={end.searchedTo} />.
      </span>
      <Button size="small" onClick={() => onGo(end)}>
        Search older calls
      </Button>
    </div>
  );
}

function NoRequests(props: { isFiltered: boolean; isPart: boolean }) {
  if (props.isFiltered) {
    return (
      <Empty icon="list" title="No results">
        {props.isPart
          ? "None of the calls that were searched is like this."
          : "No call of the last seven days is like this."}
      </Empty>
    );
  }
  const text = `curl ${location.origin}/v1/account \\\n  -H "Authorization: Bearer $LONGWAVE_KEY"`;
  return (
    <Empty icon="list" title="No calls yet">
      <span>Every call with a key shows up here a second later.</span>
      <Code samples={[{ title: "cURL", text }]} />
    </Empty>
  );
}
