import type { Conversation } from "@longwave/sdk";
import { useAct } from "../../api/queries.ts";
import { useSession } from "../../api/session.ts";
import { actOnEach } from "../../lists/selection.ts";
import { Button } from "../../ui/button.tsx";
import { plural } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import type { ConversationChange } from "./use-conversation.ts";

interface Change {
  readonly values: ConversationChange;
  readonly done: string;
}

/** Actions on the selected conversations. Each can be undone, so none asks first. */
export function ConversationBulkActions(props: {
  selected: readonly Conversation[];
  clear: () => void;
}) {
  const { selected, clear } = props;
  const { user } = useSession();
  const change = useAct(
    async ({ values, done }: Change, { api }) => {
      const outcome = await actOnEach(selected, ({ phone_number }) =>
        api.conversations.update(phone_number, values),
      );
      return { ...outcome, verb: done };
    },
    {
      stale: ["conversation", "conversations", "inbox-summary"],
      onDone: ({ done, errors, verb }) => {
        clear();
        const failed = errors.length === 0 ? "" : ` ${errors.length} could not be.`;
        toast(`${plural(done, "conversation")} ${verb}.${failed}`);
      },
    },
  );
  const isClosed = selected.every(({ status }) => status === "closed");
  const assignee = user?.id;
  return (
    <>
      <Button
        size="small"
        icon={isClosed ? "inbox" : "check"}
        busy={change.isPending}
        onClick={() =>
          change.mutate(
            isClosed
              ? { values: { status: "open" }, done: "reopened" }
              : { values: { status: "closed" }, done: "closed" },
          )
        }
      >
        {isClosed ? "Reopen" : "Close"}
      </Button>
      <Button
        size="small"
        icon="eye"
        onClick={() => change.mutate({ values: { read: true }, done: "marked as read" })}
      >
        Mark as read
      </Button>
      {assignee !== undefined && (
        <Button
          size="small"
          icon="user"
          onClick={() => change.mutate({ values: { assignee }, done: "assigned to you" })}
        >
          Assign to me
        </Button>
      )}
    </>
  );
}
