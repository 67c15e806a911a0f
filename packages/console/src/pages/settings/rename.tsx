import { NAME_CHARS_MAX } from "@longwave/contract/tables";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useAccount, useHasRole } from "../../api/account.tsx";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, TextField } from "../../ui/field.tsx";

export function Rename(props: { name: string }) {
  const mayRename = useHasRole("owner");
  const [isOpen, setIsOpen] = useState(false);
  if (!mayRename) return null;
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        Rename
      </Button>
      {isOpen && <RenameDialog name={props.name} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function RenameDialog(props: { name: string; onClose: () => void }) {
  const { account, scope } = useAccount();
  const client = useQueryClient();
  const [name, setName] = useState(props.name);
  const rename = useMutation({
    mutationFn: () => consoleCall(`/${account.id}`, { method: "PATCH", body: { name } }),
    onSuccess: () => {
      // The rail and the account switcher show the name, too.
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      void client.invalidateQueries({ queryKey: [...scope, "account"] });
      props.onClose();
    },
  });
  return (
    <FormDialog
      title="Rename the account"
      isOpen
      onClose={props.onClose}
      onSubmit={() => rename.mutate()}
      submit="Save the name"
      busy={rename.isPending}
      error={errorBeside(rename.error, ["name"])}
    >
      <TextField
        label="Name"
        required
        autoFocus
        maxLength={NAME_CHARS_MAX}
        help="Members, the operator and invitations show it. Replies to STOP, START and HELP begin with it, unless a registration has texts of its own."
        value={name}
        error={errorAt(rename.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
