import type { Conversation } from "@longwave/sdk";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { useSession } from "../../api/session.ts";
import { noticesState, setNotices } from "../../inbox/notices.ts";
import { useInboxSummary, waitingLabel } from "../../inbox/use-inbox-summary.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { type Column, List } from "../../lists/list.tsx";
import type { Bulk } from "../../lists/selection.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Person } from "../../ui/person.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Time } from "../../ui/values.tsx";
import { ConversationBulkActions } from "./bulk-actions.tsx";

const PAGE_ITEMS = 50;
const FILTERS: readonly FilterSpec[] = [
  { name: "q", label: "Name or number", kind: "text" },
  { name: "number", label: "Your number", kind: "phone" },
];

const COLUMNS: readonly Column<Conversation>[] = [
  {
    name: "Person",
    width: "minmax(146px, 1.4fr)",
    cell: (row) => (
      <span className="inbox-person" data-unread={row.unread > 0 || undefined}>
        <Person phone={row.phone_number} name={row.contact?.name} />
        {row.unread > 0 && (
          <span className="unread-count">
            {row.unread}
            <span className="sr-only"> unread</span>
          </span>
        )}
      </span>
    ),
  },
  {
    name: "Last message",
    width: "minmax(140px, 2fr)",
    cell: ({ last_message: last }) => (
      <span className="cut">
        {last?.direction === "outbound" && <span className="muted">You: </span>}
        {last?.body}
      </span>
    ),
  },
  { name: "State", width: "116px", cell: (row) => <ConversationState conversation={row} /> },
  {
    name: "Assigned to",
    width: "minmax(70px, 130px)",
    wideOnly: true,
    cell: (row) =>
      row.assignee ? (row.assignee.name ?? "Member") : <span className="muted">–</span>,
  },
  {
    name: "Received",
    width: "88px",
    right: true,
    cell: (row) => <Time at={row.last_received_at} />,
  },
];

function ConversationState(props: { conversation: Conversation }) {
  const { conversation } = props;
  if (conversation.status === "closed") return <Badge tone="slate" icon="check" word="Closed" />;
  if (conversation.needs_reply) return <Badge tone="amber" icon="reply" word="Needs reply" />;
  return <span className="muted">Answered</span>;
}

const CONVERSATION_BULK: Bulk<Conversation> = {
  idOf: (row) => row.phone_number,
  nameOf: (row) => row.contact?.name ?? formatPhone(row.phone_number),
  actions: (selected, clear) => <ConversationBulkActions selected={selected} clear={clear} />,
};

/** Filters of each tab. */
function queryOf(tab: string, userId: string) {
  if (tab === "needs_reply") return { needs_reply: true } as const;
  if (tab === "unread") return { status: "open", unread: true } as const;
  if (tab === "mine") return { status: "open", assignee: userId } as const;
  if (tab === "closed") return { status: "closed" } as const;
  return { status: "open" } as const;
}

export function ConversationsPage() {
  const { api, base } = useAccount();
  const { user } = useSession();
  const [search] = useFilters();
  const mayChange = useHasRole("member");
  const waiting = waitingLabel(useInboxSummary());
  const tabs = [
    { id: "open", label: "Open" },
    { id: "needs_reply", label: waiting === null ? "Needs reply" : `Needs reply · ${waiting}` },
    { id: "unread", label: "Unread" },
    { id: "mine", label: "Assigned to me" },
    { id: "closed", label: "Closed" },
  ];
  const tab = useTab(tabs);
  const picked = usePicked(search, ["q", "number"]);
  const query = { ...queryOf(tab, user?.id ?? ""), ...picked };
  const isFiltered = Object.keys(picked).length > 0;
  return (
    <Page
      title="Conversations"
      about="Everyone who wrote to you, newest first."
      actions={<NoticesButton />}
    >
      <div className="stack">
        <Tabs label="Conversations" tabs={tabs} chosen={tab} />
        <FilterBar filters={FILTERS} />
      </div>
      <List
        label="Conversations"
        source={{
          key: ["conversations", query],
          pageItems: PAGE_ITEMS,
          fetch: (cursor, signal) =>
            api.conversations.list({ ...query, limit: PAGE_ITEMS, cursor }, { signal }),
        }}
        columns={COLUMNS}
        linkOf={(row) => `${base}/conversations/${row.phone_number}`}
        bulk={mayChange ? CONVERSATION_BULK : undefined}
        readOtherMode={(otherApi, signal) =>
          otherApi.conversations.list({ ...query, limit: PAGE_ITEMS }, { signal })
        }
        beside
        empty={<Nobody tab={tab} isFiltered={isFiltered} />}
      />
    </Page>
  );
}

/** Words of an empty tab. */
const NOTHING: Readonly<Record<string, { title: string; about: string }>> = {
  needs_reply: {
    title: "Everyone has a reply",
    about: "A conversation waits here from a message to you until you answer or close it.",
  },
  unread: {
    title: "Everything is read",
    about: "New messages appear here until someone opens them.",
  },
  mine: {
    title: "Nothing is assigned to you",
    about: "Open a conversation and choose yourself under Assigned to.",
  },
  closed: {
    title: "No closed conversations",
    about: "Close a conversation when it is done. A new message opens it again.",
  },
};

function Nobody(props: { tab: string; isFiltered: boolean }) {
  const { base, mode } = useAccount();
  if (props.isFiltered) {
    return (
      <Empty icon="chats" title="No conversations match">
        Change or clear the filters above.
      </Empty>
    );
  }
  const nothing = NOTHING[props.tab];
  if (nothing) {
    return (
      <Empty icon="chats" title={nothing.title}>
        {nothing.about}
      </Empty>
    );
  }
  return (
    <Empty
      icon="chats"
      title="No open conversations"
      action={
        mode === "test" && (
          <ButtonLink to={`${base}/phone`} kind="primary" icon="phone">
            Text yourself from the sandbox phone
          </ButtonLink>
        )
      }
    >
      When someone texts one of your numbers, the conversation appears here.
    </Empty>
  );
}

/** Turns desktop notices on and off. Hidden where the browser has none or forbids them. */
function NoticesButton() {
  const [isOn, setIsOn] = useState(noticesState);
  if (isOn === null) return null;
  return (
    <Button icon="bell" aria-pressed={isOn} onClick={() => void setNotices(!isOn).then(setIsOn)}>
      {isOn ? "Desktop notices on" : "Turn on desktop notices"}
    </Button>
  );
}
