import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../lists/filter-bar.tsx";
import { Loaded } from "../../lists/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/values.tsx";
import { type Conversation, conversationsOf } from "./thread.ts";

const RECEIVED_MAX = 100;
const FILTERS: readonly FilterSpec[] = [{ name: "number", label: "Phone number", kind: "phone" }];

export function ConversationsPage() {
  const { base, mode } = useAccount();
  const [search] = useFilters();
  const query = usePicked(search, ["number"]);
  const texts = useRead(["conversations", query], async (api, signal) => {
    const of = { ...query, limit: RECEIVED_MAX };
    const [received, sent] = await Promise.all([
      api.messages.list({ ...of, direction: "inbound" }, { signal }),
      api.messages.list({ ...of, direction: "outbound" }, { signal }),
    ]);
    return conversationsOf(received.data, sent);
  });
  return (
    <Page
      title="Conversations"
      about={`Who wrote to you, from the newest ${RECEIVED_MAX} received texts.`}
    >
      <FilterBar filters={FILTERS} />
      <Loaded query={texts}>
        {(conversations) => {
          if (conversations.length > 0) return <Conversations conversations={conversations} />;
          if (query.number !== undefined) return <NobodyThere />;
          return (
            <div className="list">
              <Empty
                icon="chats"
                title="Nobody has written yet"
                action={
                  mode === "test" && (
                    <ButtonLink to={`${base}/phone`} kind="primary" icon="phone">
                      Text yourself from the sandbox phone
                    </ButtonLink>
                  )
                }
              >
                When someone replies to a text of yours, the conversation appears here.
              </Empty>
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

function NobodyThere() {
  return (
    <div className="list">
      <Empty icon="chats" title="Nobody with this number has written">
        Change or clear the filter above.
      </Empty>
    </div>
  );
}

function Conversations(props: { conversations: readonly Conversation[] }) {
  const { base } = useAccount();
  const columns: readonly TableColumn<Conversation>[] = [
    {
      name: "Person",
      cell: (each) => (
        <Link
          to={`${base}/conversations/${each.person}`}
          search={{ from: each.ours } as never}
          className="strong nowrap"
        >
          {formatPhone(each.person)}
        </Link>
      ),
    },
    { name: "Last text", cell: (each) => <p className="last-text cut">{each.last.body}</p> },
    {
      name: "Reply",
      cell: (each) => (
        <>
          {each.isWaiting && <Badge tone="amber" icon="clock" word="Waits for a reply" />}
          {each.isWaiting === false && <span className="muted">Answered</span>}
        </>
      ),
    },
    {
      name: "Your number",
      cell: (each) => <span className="nowrap">{formatPhone(each.ours)}</span>,
    },
    { name: "Received", right: true, cell: (each) => plural(each.count, "text") },
    { name: "When", right: true, cell: (each) => <Time at={each.last.created_at} /> },
  ];
  return (
    <Table
      label="Conversations"
      links
      columns={columns}
      rows={props.conversations}
      keyOf={(each) => `${each.person} ${each.ours}`}
    />
  );
}
