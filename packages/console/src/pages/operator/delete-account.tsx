import type { OperatorAccount } from "@longwave/sdk";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";

/** Deletes an account after its name was typed, and leads to the report. */
export function DeleteAccount(props: { account: OperatorAccount }) {
  const { account } = props;
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const remove = useAct(
    async (_: undefined, { api }) => {
      await api.operator.accounts.delete(account.id, { confirm: account.name });
      const { data } = await api.operator.accountDeletions.list({ account_id: account.id });
      return data[0]?.id;
    },
    {
      stale: ["op-accounts", "op-deletions"],
      onDone: (id) =>
        void navigate({ to: id ? `/op/deletions/${id}` : "/op/deletions", search: {} } as never),
    },
  );
  return (
    <>
      <Button kind="danger" icon="trash" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      <Confirm
        title={`Delete ${account.name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(undefined)}
        action="Delete the account"
        typed={account.name}
        busy={remove.isPending}
        error={remove.error}
      >
        Its keys and sign-ins end at once, and nothing more is sent. Within minutes its live numbers
        are released, and its messages, contacts, consent, events, money and audit log are erased.
        It cannot be undone: export first what must be kept.
      </Confirm>
    </>
  );
}
