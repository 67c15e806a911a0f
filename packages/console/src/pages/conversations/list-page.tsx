import { Link } from "@tanstack/react-router";
import { useAccount } from "../../api/account.tsx";
import { useRead } from "../../api/queries.ts";
import { Loaded } from "../../reading/loaded.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { Time } from "../../ui/values.tsx";
import { type Conversation, conversationsOf } from "./thread.ts";

const RECEIVED_MAX = 100;

export function ConversationsPage() {
  const { base, mode } = useAccount();
  const received = useRead(["conversations"], (api, signal) =>
    api.messages.list({ direction: "inbound", limit: RECEIVED_MAX }, { signal }),
  );
  return (
    <Page
      title="Conversations"
      about={`Who wrote to you, from the newest ${RECEIVED_MAX} received texts.`}
    >
      <Loaded query={received}>
        {(page) => {
          const conversations = conversationsOf(page.data);
          if (conversations.length > 0) return <Conversations conversations={conversations} />;
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

function Conversations(props: { conversations: readonly Conversation[] }) {
  const { base } = useAccount();
  return (
    <div className="card table-scroll">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col">Last text</th>
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
