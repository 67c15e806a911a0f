import type { Message } from "@longwave/sdk";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatPhone } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";
import { personOf } from "./person-of.ts";

/** Deletes the body of a message that has left or came in; the rest of the message stays. */
export function DeleteBody(props: { message: Message }) {
  const { message } = props;
  const mayDelete = useHasRole("member");
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.messages.deleteBody(message.id, { idempotencyKey }),
    {
      stale: ["message", "messages", "conversations", "home"],
      onDone: () => {
        setIsAsking(false);
        toast("The body is deleted.");
      },
    },
  );
  if (!mayDelete || message.body === "" || message.status === "queued") return null;
  const way = message.direction === "outbound" ? "to" : "from";
  return (
    <>
      <Button icon="trash" onClick={() => setIsAsking(true)}>
        Delete the body
      </Button>
      <Confirm
        title={`Delete the body of the message ${way} ${formatPhone(personOf(message))}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the body"
        busy={remove.isPending}
        error={remove.error}
      >
        <p className="wrap-anywhere">“{message.body}”</p>
        <p>
          Body and metadata go for good, also from events and the carrier's traffic. Number, status
          and price stay. This can't be undone.
        </p>
      </Confirm>
    </>
  );
}
