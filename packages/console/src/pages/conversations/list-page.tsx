import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { FilterBar, type FilterSpec } from "../../reading/filter-bar.tsx";
import { Loaded } from "../../reading/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { useFilters, usePicked } from "../../ui/search-params.ts";
import { Badge } from "../../ui/status.tsx";
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
  return (
    <div className="card table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Last text</th>
            <th scope="col">Reply</th>
            <th scope="col">Your number</th>
            <th scope="col" className="right">
              Received
            </th>
            <th scope="col" className="right">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {props.conversations.map((each) => (
            <tr key={`${each.person} ${each.ours}`} data-link="true">
              <td className="nowrap strong">
                <Link
                  to={`${base}/conversations/${each.person}`}
                  search={{ from: each.ours } as never}
                >
                  {formatPhone(each.person)}
                </Link>
              </td>
              <td className="muted cut" style={{ maxWidth: 360 }}>
                {each.last.body}
              </td>
              <td className="nowrap">
                {each.isWaiting && <Badge tone="amber" icon="clock" word="Waits for a reply" />}
                {each.isWaiting === false && <span className="muted">Answered</span>}
              </td>
              <td className="nowrap">{formatPhone(each.ours)}</td>
              <td className="right">{plural(each.count, "text")}</td>
              <td className="right nowrap">
                <Time at={each.last.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
