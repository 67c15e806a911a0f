import type { ScheduledMessage } from "@longwave/sdk";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { actOnEach, namesOf } from "../../lists/selection.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { formatPhone, plural } from "../../ui/format.ts";
import { toast } from "../../ui/toast.tsx";

/** Cancels the selected scheduled messages; one that was sent meanwhile is counted. */
export function CancelSelected(props: {
  selected: readonly ScheduledMessage[];
  clear: () => void;
}) {
  const { selected, clear } = props;
  const [isAsking, setIsAsking] = useState(false);
  const cancel = useAct(
    (_: undefined, { api }) => actOnEach(selected, ({ id }) => api.scheduledMessages.delete(id)),
    {
      stale: ["scheduled"],
      onDone: ({ done, errors }) => {
        setIsAsking(false);
        clear();
        const failed = errors.length === 0 ? "" : ` ${plural(errors.length, "text")} could not be.`;
        toast(`${plural(done, "text")} canceled.${failed}`);
      },
    },
  );
  return (
    <>
      <Button kind="danger" size="small" icon="x" onClick={() => setIsAsking(true)}>
        Cancel texts
      </Button>
      <Confirm
        title={`Cancel ${plural(selected.length, "text")}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => cancel.mutate(undefined)}
        action={`Cancel ${plural(selected.length, "text")}`}
        dismiss="Keep them"
        busy={cancel.isPending}
        error={cancel.error}
      >
        To {namesOf(selected.map(({ to }) => formatPhone(to)))}. They will not be sent.
      </Confirm>
    </>
  );
}
