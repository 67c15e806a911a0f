import type { Segment } from "@longwave/sdk";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { type Column, List } from "../../lists/list.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatCount } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/values.tsx";
import { treeOf } from "./filter-tree.ts";
import { filterWords } from "./filter-words.ts";

const PAGE_ITEMS = 50;

const COLUMNS: readonly Column<Segment>[] = [
  {
    name: "Name",
    width: "minmax(160px, 1fr)",
    cell: (row) => <span className="strong">{row.name}</span>,
  },
  {
    name: "People now",
    width: "110px",
    right: true,
    cell: (row) => (row.size === null ? "many" : formatCount(row.size)),
  },
  {
    name: "Filter",
    width: "minmax(140px, 1fr)",
    wideOnly: true,
    cell: (row) => <span className="muted">{filterWords(treeOf(row.filter))}</span>,
  },
  {
    name: "Created",
    width: "112px",
    right: true,
    wideOnly: true,
    cell: (row) => <Time at={row.created_at} />,
  },
];

export function SegmentsPage() {
  const { api, base } = useAccount();
  const mayEdit = useHasRole("member");
  const create = mayEdit && (
    <ButtonLink to={`${base}/segments/new`} kind="primary" icon="plus">
      New segment
    </ButtonLink>
  );
  return (
    <Page
      title="Segments"
      about="Saved filters over contacts, evaluated whenever they are used."
      actions={create}
    >
      <List
        label="Segments"
        source={{
          key: ["segments"],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) => api.segments.list({ limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/segments/${row.id}`}
        empty={
          <Empty icon="filter" title="No segments yet" action={create}>
            Choose people by tag, area code, company, attribute or topic, see at once how many they
            are, and send them a batch.
          </Empty>
        }
      />
    </Page>
  );
}
