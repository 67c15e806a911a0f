import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";

/** A bin that asks before it deletes, for what nothing brings back. */
export function DeleteButton(props: {
  /** Object of the deletion, such as "the note". */
  what: string;
  isBusy: boolean;
  error: unknown;
  onDelete: () => void;
}) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        kind="ghost"
        size="small"
        icon="trash"
        aria-label={`Delete ${props.what}`}
        onClick={() => setIsAsking(true)}
      />
      <Confirm
        title={`Delete ${props.what}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={props.onDelete}
        action="Delete"
        busy={props.isBusy}
        error={props.error}
      >
        This can't be undone.
      </Confirm>
    </>
  );
}
