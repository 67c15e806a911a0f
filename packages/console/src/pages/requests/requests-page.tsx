import { useAccount, useMay } from "../../api/account.tsx";
import { FilterBar, type FilterSpec } from "../../reading/filter-bar.tsx";
import { type Column, List } from "../../reading/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
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

const PAGE_ITEMS = 100;
const QUERY = ["status", "method", "path", "code", "key", "request_id"] as const;

const FILTERS: readonly FilterSpec[] = [
  {
    name: "status",
    label: "Any answer",
    kind: "choice",
    choices: [
      { value: "2xx", label: "Taken (2xx)" },
      { value: "4xx", label: "Refused (4xx)" },
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
    name: "Answer",
    width: "70px",
    cell: (row) => <Badge tone={toneOf(row.status)} word={String(row.status)} />,
  },
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
    name: "Code",
    width: "minmax(110px, 0.7fr)",
    wideOnly: true,
    cell: (row) =>
      row.code === null ? (
        <span className="muted">{row.replayed ? "given again" : "–"}</span>
      ) : (
        <code>{row.code}</code>
      ),
  },
  {
    name: "Took",
    width: "70px",
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
  const { scope, base } = useAccount();
  const mayRead = useMay("member");
  const [search] = useFilters();
  const query = usePicked(search, QUERY);
  return (
    <Page
      title="Request log"
      about="What your programs asked of the API in the last seven days: how it was answered, by which key, how fast. Never what was in it."
      actions={<ButtonLink to={`${base}/keys`}>API keys</ButtonLink>}
    >
      {mayRead ? (
        <>
          <FilterBar filters={FILTERS} />
          <List
            label="Requests"
            source={{
              key: ["requests", query],
              pageItems: PAGE_ITEMS,
              fetch: (cursor, signal) =>
                listRequests(scope, { ...query, limit: PAGE_ITEMS, cursor }, signal),
            }}
            columns={COLUMNS}
            linkOf={(row) => `${base}/requests/${row.id}`}
            beside
            elsewhere={(_, signal, there) => listRequests([scope[0], there], query, signal)}
            empty={<NoRequests isFiltered={Object.keys(query).length > 0} />}
          />
        </>
      ) : (
        <RoleNeeded needed="member" what="The request log" />
      )}
    </Page>
  );
}

function NoRequests(props: { isFiltered: boolean }) {
  if (props.isFiltered) {
    return (
      <Empty icon="list" title="Nothing fits">
        No call of the last seven days is like this; of very many, the newest 50,000 are searched.
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
