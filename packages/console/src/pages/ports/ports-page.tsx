import type { PortRequest } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import type { FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { statesOf } from "../../ui/looks.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Status } from "../../ui/status.tsx";
import { Phone, Time } from "../../ui/values.tsx";
import { providerTitle } from "../imports/words.ts";
import { PortFilters } from "./port-filters.tsx";
import { formatDate } from "./statuses.ts";

const PAGE_ITEMS = 100;
const FILTERS: readonly FilterSpec[] = [
  { name: "phone_number", label: "Your number", kind: "phone" },
];
/** Statuses of a port request, as filter choices. */
const STEPS = [{ value: "", label: "All" }, ...statesOf("port_request")];

/** Columns for every reader; the operator's list adds the account. */
export function portColumns<T extends PortRequest>(): readonly Column<T>[] {
  return [
    {
      name: "Number",
      width: "150px",
      cell: (row) => (
        <span className="strong">
          <Phone plain value={row.phone_number} />
        </span>
      ),
    },
    {
      name: "Status",
      width: "130px",
      cell: (row) => <Status machine="port_request" state={row.status} />,
    },
    { name: "From", width: "96px", wideOnly: true, cell: (row) => providerTitle(row.provider) },
    {
      name: "Port date",
      width: "108px",
      wideOnly: true,
      cell: (row) =>
        row.foc_date === null ? <span className="muted">–</span> : formatDate(row.foc_date),
    },
    {
      name: "Reason",
      width: "minmax(120px, 1fr)",
      wideOnly: true,
      cell: (row) => <span className="muted">{row.reason ?? "–"}</span>,
    },
    {
      name: "Updated",
      width: "112px",
      right: true,
      wideOnly: true,
      cell: (row) => <Time at={row.updated_at} />,
    },
  ];
}

export function PortsPage() {
  const { api, base } = useAccount();
  const mayImport = useHasRole("admin");
  const [search] = useFilters();
  const query = usePicked(search, ["status", "phone_number"]);
  const bring = mayImport && (
    <ButtonLink kind="primary" icon="download" to={`${base}/import`}>
      Port numbers in
    </ButtonLink>
  );
  return (
    <Page
      title="Port requests"
      about="Numbers on their way here from another provider. They work over there until the day they move."
      actions={bring}
    >
      <PortFilters filters={FILTERS} label="Status" steps={STEPS} />
      <List
        label="Port requests"
        source={{
          key: ["ports", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.portRequests.list({ ...(query as object), limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={portColumns<PortRequest>()}
        linkOf={(row) => `${base}/ports/${row.id}`}
        grows={{ events: ["number.purchased"] }}
        empty={
          <Empty icon="inbox" title="No port requests" action={bring}>
            The importer reads your account at another provider and asks for its numbers. The
            operator can ask for single ones too.
          </Empty>
        }
      />
    </Page>
  );
}
