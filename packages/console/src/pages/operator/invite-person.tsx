import type { Role } from "@longwave/contract/tables";
import type { OperatorInvitation } from "@longwave/sdk";
import { type FormEvent, useState } from "react";
import { useAct } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { ROLE_CHOICES } from "../members/role-words.ts";
import { ShareLinkDialog } from "../members/share-link.tsx";

/** Invites a person to the account, for example its first owner. */
export function InvitePerson(props: { accountId: string }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("owner");
  const [made, setMade] = useState<OperatorInvitation | null>(null);
  const invite = useAct(
    (_: undefined, { api, idempotencyKey }) =>
      api.operator.invitations.create(props.accountId, { email, role }, { idempotencyKey }),
    {
      stale: ["op-accounts"],
      onDone: (invitation) => {
        setEmail("");
        setMade(invitation);
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(undefined);
  };
  return (
    <Card title="Invite to the console">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          required
          help="A new account has no members. Make its first one an owner."
          value={email}
          error={errorAt(invite.error, "email")}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label="Role"
          value={role}
          choices={ROLE_CHOICES}
          onChange={(event) => setRole(event.target.value as Role)}
        />
        {errorBeside(invite.error, ["email"]) !== null && <ErrorBox error={invite.error} />}
        <Button type="submit" busy={invite.isPending}>
          Create invite
        </Button>
      </form>
      <ShareLinkDialog link={made} onClose={() => setMade(null)} />
    </Card>
  );
}
