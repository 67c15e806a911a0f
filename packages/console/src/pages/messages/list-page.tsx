import { FAILURE_CODES, FAILURES } from "@longwave/contract/tables";
import type { Message } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useNameOf } from "../../api/names.ts";
import { ExportLink } from "../../lists/export-link.tsx";
import { FilterBar, type FilterSpec, TIME_FILTERS } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Id } from "../../ui/copy.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { NamedPerson } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Money, Phone, Time } from "../../ui/values.tsx";
import { useCustomerChoices } from "../customers/use-customer-names.ts";
import { personOf } from "./person-of.ts";
import { sendSample } from "./samples.ts";

const FILTERS: readonly FilterSpec[] = [
  { name: "number", label: "To or from number", kind: "phone" },
  { name: "status", label: "Any status", kind: "choice", choices: statesOf("message") },
  {
    name: "direction",
    label: "Both directions",
    kind: "choice",
    choices: [
      { value: "outbound", label: "Outbound" },
      { value: "inbound", label: "Inbound" },
    ],
  },
];
const FURTHER_FILTERS: readonly FilterSpec[] = [
  {
    name: "failure_code",
    label: "Any reason",
    kind: "choice",
    choices: FAILURE_CODES.map((code) => ({ value: code, label: FAILURES[code].title })),
    whenSet: true,
  },
  { name: "carrier", label: "Carrier", kind: "text", whenSet: true },
  { name: "to", label: "To", kind: "phone", whenSet: true },
  { name: "from", label: "From", kind: "phone", whenSet: true },
  ...TIME_FILTERS,
];

/** Filters of the list. Customers and the chosen batch appear by name. */
function useMessageFilters(batchId: string | undefined): readonly FilterSpec[] {
  const customers = useCustomerChoices();
  const batch = useNameOf(batchId ?? null);
  return [
    ...FILTERS,
    ...(customers.length === 0
      ? []
      : [
          {
            name: "customer_id",
            label: "Any customer",
            kind: "choice",
            choices: customers,
          } as const,
        ]),
    {
      name: "batch_id",
      label: "Any batch",
      kind: "choice",
      choices: batchId === undefined ? [] : [{ value: batchId, label: batch ?? "One batch" }],
      whenSet: true,
    },
    ...FURTHER_FILTERS,
  ];
}

const QUERY = [
  "number",
  "to",
  "from",
  "status",
  "direction",
  "customer_id",
  "batch_id",
  "failure_code",
  "carrier",
  "created_after",
  "created_before",
] as const;
const PAGE_ITEMS = 100;
const GROWS = { events: ["message.sent", "message.failed", "message.received"] };

const COLUMNS: readonly Column<Message>[] = [
  {
    name: "Status",
    width: "112px",
    cell: (row) => <Status machine="message" state={row.status} />,
  },
  {
    name: "Person",
    width: "minmax(170px, 0.6fr)",
    cell: (row) => <NamedPerson phone={personOf(row)} />,
  },
  {
    name: "Your number",
    width: "150px",
    wideOnly: true,
    cell: (row) => <Phone plain value={row.direction === "outbound" ? row.from : row.to} />,
  },
  {
    name: "Text",
    width: "minmax(120px, 1fr)",
    cell: (row) => <span className="muted">{row.body}</span>,
  },
  {
    name: "Reason",
    width: "150px",
    wideOnly: true,
    cell: (row) => row.failure?.title ?? <span className="muted">–</span>,
  },
  {
    name: "Segments",
    width: "72px",
    right: true,
    wideOnly: true,
    onDemand: true,
    cell: (row) => row.segments,
  },
  {
    name: "Price",
    width: "64px",
    right: true,
    wideOnly: true,
    isMoney: true,
    cell: (row) => <Money usd={row.price} />,
  },
  {
    name: "Carrier",
    width: "96px",
    wideOnly: true,
    onDemand: true,
    cell: (row) => row.carrier ?? <span className="muted">–</span>,
  },
  {
    name: "Id",
    width: "160px",
    wideOnly: true,
    onDemand: true,
    cell: (row) => <Id value={row.id} />,
  },
  {
    name: "Created",
    width: "112px",
    right: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function MessagesPage() {
  const { api, base } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, QUERY);
  const maySend = useHasRole("member");
  return (
    <Page
      title="Messages"
      about="All messages, newest first."
      actions={
        <>
          <ExportLink list="messages" query={query} />
          {maySend && (
            <ButtonLink to={`${base}/messages/new`} kind="primary" icon="send">
              Send a text
            </ButtonLink>
          )}
        </>
      }
    >
      <FilterBar filters={useMessageFilters(query.batch_id)} />
      <List
        label="Messages"
        source={{
          key: ["messages", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.messages.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/messages/${row.id}`}
        beside
        readOtherMode={(otherApi, signal) =>
          otherApi.messages.list({ ...(query as object), limit: PAGE_ITEMS }, { signal })
        }
        grows={GROWS}
        tail
        empty={<NoMessages isFiltered={Object.keys(query).length > 0} />}
      />
    </Page>
  );
}

function NoMessages(props: { isFiltered: boolean }) {
  const { base } = useAccount();
  if (props.isFiltered) {
    return (
      <Empty icon="search" title="No message matches">
        Change or clear the filters above.
      </Empty>
    );
  }
  return (
    <Empty
      icon="message"
      title="No messages yet"
      action={
        <ButtonLink to={`${base}/messages/new`} kind="primary" icon="send">
          Send the first text
        </ButtonLink>
      }
    >
      <p>Texts that you send and receive appear here, with everything that happened to them.</p>
      <Code samples={[sendSample({ from: "+15005550100", to: "+15005550000", body: "Hello" })]} />
    </Empty>
  );
}
