import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";

/** Opens the account as a viewer. The account's audit log records the visit. */
export function OpenAccount(props: { accountId: string; name: string }) {
  const { accountId, name } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const open = useMutation({
    mutationFn: () => consoleCall(`/visits/${accountId}`, { method: "POST" }),
    onSuccess: async () => {
      await client.refetchQueries({ queryKey: sessionQuery.queryKey });
      void navigate({ to: `/${accountId}/test/`, search: {} } as never);
    },
  });
  return (
    <>
      <Button icon="eye" onClick={() => setIsAsking(true)}>
        Open the account
      </Button>
      <FormDialog
        title={`Open ${name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onSubmit={() => open.mutate()}
        submit="Open it"
        busy={open.isPending}
        error={open.error}
      >
        <p className="muted">
          You see its pages as a viewer does: everything can be read, nothing changed. Its audit log
          tells the owners that you were there.
        </p>
      </FormDialog>
    </>
  );
}
