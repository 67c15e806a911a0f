import type { Message } from "@longwave/sdk";
import { useAccount } from "../../api/account.tsx";
import { formatPhone } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { usePageParams, usePane } from "../../ui/pane.tsx";
import { Person } from "../../ui/person.tsx";
import { Note } from "../../ui/problem.tsx";
import { Time } from "../../ui/values.tsx";
import { Answer } from "../messages/answer.tsx";
import { Bubbles } from "./bubbles.tsx";
import { Notes } from "./notes.tsx";
import { Handling, PersonCard } from "./person-card.tsx";
import { Reply } from "./reply.tsx";
import { usePagedThread } from "./thread.ts";
import { useConversation, useMarkRead, usePerson } from "./use-conversation.ts";

export function ThreadPage() {
  const { phone } = usePageParams<{ phone: string }>();
  // Another person is another page: a draft must not follow to somebody else.
  return <ThreadWith key={phone} phone={phone} />;
}

function ThreadWith({ phone }: { phone: string }) {
  const isPane = usePane() !== null;
  const { base } = useAccount();
  const thread = usePagedThread(phone);
  const conversation = useConversation(phone);
  const person = usePerson(phone);
  useMarkRead(conversation);
  const name = person.contact?.name ?? conversation?.contact?.name ?? null;
  return (
    <Page
      title={name ?? formatPhone(phone)}
      heading={<Person phone={phone} name={name} />}
      crumb={{ to: `${base}/conversations`, label: "Conversations" }}
    >
      <div className={isPane ? "stack" : "columns"}>
        <div className="stack">
          <DidTheyGetIt messages={thread.messages ?? []} />
          <div className="card thread-card">
            <Bubbles thread={thread} />
            {person.isOptedOut ? (
              <div className="thread-reply">
                <Note tone="red">
                  This person opted out. You can't message them until they text START.
                </Note>
              </div>
            ) : (
              <Reply phone={phone} conversation={conversation} thread={thread} />
            )}
          </div>
        </div>
        <div className="stack">
          {conversation && <Handling conversation={conversation} />}
          {conversation && <Notes phone={phone} />}
          <PersonCard phone={phone} person={person} conversation={conversation} />
        </div>
      </div>
    </Page>
  );
}

/**
 * Delivery state of the newest message sent to the person: the first question that support gets.
 */
function DidTheyGetIt(props: { messages: readonly Message[] }) {
  const newest = props.messages.findLast(({ direction }) => direction === "outbound");
  if (!newest) return null;
  const about = (
    <>
      Last message to them, <Time at={newest.created_at} />:{" "}
    </>
  );
  return <Answer message={newest} about={about} />;
}
