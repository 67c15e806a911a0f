import { ROLES, type Role } from "@longwave/contract/tables";
import { useState } from "react";
import { useHasRole } from "../../api/account.tsx";
import { useConsoleAct, useConsoleRead } from "../../api/console-queries.ts";
import { useSession } from "../../api/session.ts";
import type { Invitation, MadeLink, Member, MemberList } from "../../api/session-types.ts";
import { Loaded } from "../../lists/loaded.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, FormDialog } from "../../ui/dialog.tsx";
import { errorAt, errorBeside, SelectField, TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { Badge } from "../../ui/status.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { ROLE_CHOICES, ROLE_WORDS } from "./role-words.ts";
import { ShareLinkDialog } from "./share-link.tsx";

export function MembersPage() {
  const mayInvite = useHasRole("admin");
  const members = useConsoleRead<MemberList>("members");
  const [isOpen, setIsOpen] = useState(false);
  const [link, setLink] = useState<MadeLink | null>(null);
  return (
    <Page
      title="Members"
      about="People with access to this account, and their roles."
      actions={
        mayInvite && (
          <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
            Invite
          </Button>
        )
      }
    >
      <Loaded query={members}>
        {(list) => (
          <div className="stack-wide">
            <MemberTable members={list.data} onLink={setLink} />
            {list.invitations.length > 0 && (
              <Invitations invitations={list.invitations} onLink={setLink} />
            )}
          </div>
        )}
      </Loaded>
      {isOpen && <InviteDialog onClose={() => setIsOpen(false)} onMade={setLink} />}
      <ShareLinkDialog link={link} onClose={() => setLink(null)} />
    </Page>
  );
}

function MemberTable(props: { members: readonly Member[]; onLink: (link: MadeLink) => void }) {
  const session = useSession();
  const columns: readonly TableColumn<Member>[] = [
    {
      name: "Person",
      cell: (member) => (
        <>
          <span className="strong">{member.name ?? member.email}</span>{" "}
          <span className="muted">{member.name ? member.email : ""}</span>
          {member.id === session.user?.id && <span className="chip">you</span>}
        </>
      ),
    },
    { name: "Role", cell: (member) => member.role },
    {
      name: "2FA",
      cell: (member) =>
        member.second_factor ? (
          <Badge tone="green" icon="check" word="On" />
        ) : (
          <Badge tone="grey" icon="minus" word="Off" />
        ),
    },
    { name: "Last active", right: true, cell: (member) => <Time at={member.seen_at} /> },
    {
      name: "Actions",
      nameless: true,
      right: true,
      cell: (member) => <MemberActions member={member} onLink={props.onLink} />,
    },
  ];
  return <Table label="Members" columns={columns} rows={props.members} keyOf={(row) => row.id} />;
}

function MemberActions(props: { member: Member; onLink: (link: MadeLink) => void }) {
  const { member } = props;
  const mayChange = useHasRole("admin");
  const [isAsking, setIsAsking] = useState(false);
  const [newRole, setNewRole] = useState<Role | null>(null);
  const name = member.name ?? member.email;
  const change = useConsoleAct<unknown>("members", () => {
    toast(isAsking ? `${name} was removed.` : `${name} is now ${newRole}.`);
    setIsAsking(false);
    setNewRole(null);
  });
  const reset = useConsoleAct<MadeLink>("members", (made) => {
    if (made.url === null) toast(`A link for a new password was mailed to ${member.email}.`);
    else props.onLink(made);
  });
  if (!mayChange) return null;
  const path = `/members/${member.id}`;
  return (
    <>
      <Menu label={`Actions for ${member.email}`} trigger={<Icon name="dots" />}>
        <div className="menu-title">Role</div>
        {ROLES.map((role) => (
          <MenuItem
            key={role}
            icon={role === member.role ? "check" : "user"}
            onSelect={() => setNewRole(role === member.role ? null : role)}
          >
            {role}
          </MenuItem>
        ))}
        <div className="menu-rule" />
        <MenuItem
          icon="key"
          onSelect={() => reset.mutate({ path: `${path}/reset-link`, method: "POST" })}
        >
          Link for a new password
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={() => setIsAsking(true)}>
          Remove
        </MenuItem>
      </Menu>
      {reset.error ? <ErrorBox error={reset.error} /> : null}
      <Confirm
        title={`Make ${name} ${newRole}?`}
        isOpen={newRole !== null}
        onClose={() => setNewRole(null)}
        onConfirm={() => change.mutate({ path, method: "PATCH", body: { role: newRole } })}
        action={`Make ${newRole}`}
        isSafe
        busy={change.isPending}
        error={change.error}
      >
        {newRole !== null && `${ROLE_WORDS[newRole]}. It applies at once.`}
      </Confirm>
      <Confirm
        title={`Remove ${name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => change.mutate({ path, method: "DELETE" })}
        action="Remove the member"
        busy={change.isPending}
        error={change.error}
      >
        They can no longer open this account, from this moment on.
      </Confirm>
    </>
  );
}

function Invitations(props: {
  invitations: readonly Invitation[];
  onLink: (link: MadeLink) => void;
}) {
  const mayChange = useHasRole("admin");
  return (
    <Card title="Invitations" flush>
      <ul>
        {props.invitations.map((each) => (
          <li key={each.id} className="alarm alarm-wraps">
            <span className="grow">
              <span className="wrap-anywhere">{each.email}</span>{" "}
              <span className="muted">as {each.role}</span>
            </span>
            <span className="meta">
              ends <Time at={each.expires_at} />
            </span>
            {mayChange && <InvitationActions invitation={each} onLink={props.onLink} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A new link replaces the old one, whose secret nobody can read again. */
function InvitationActions(props: { invitation: Invitation; onLink: (link: MadeLink) => void }) {
  const { id, email, role } = props.invitation;
  const [isAsking, setIsAsking] = useState(false);
  const withdrawal = { path: `/invitations/${id}`, method: "DELETE" } as const;
  const remove = useConsoleAct<unknown>("members", () => {
    if (isAsking) toast(`The invitation of ${email} is withdrawn.`);
    setIsAsking(false);
  });
  const renew = useConsoleAct<MadeLink>("members", (made) => {
    remove.mutate(withdrawal);
    props.onLink(made);
  });
  return (
    <>
      {renew.error ? <ErrorBox error={renew.error} /> : null}
      <Button
        size="small"
        aria-label={`New link for ${email}`}
        busy={renew.isPending}
        onClick={() =>
          renew.mutate({ path: "/invitations", method: "POST", body: { email, role } })
        }
      >
        New link
      </Button>
      <Button size="small" aria-label={`Withdraw ${email}`} onClick={() => setIsAsking(true)}>
        Withdraw
      </Button>
      <Confirm
        title={`Withdraw the invitation of ${email}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => remove.mutate(withdrawal)}
        action="Withdraw the invitation"
        busy={remove.isPending}
        error={remove.error}
      >
        Its link stops working at once. You can invite them again.
      </Confirm>
    </>
  );
}

function InviteDialog(props: { onClose: () => void; onMade: (link: MadeLink) => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("member");
  const invite = useConsoleAct<MadeLink>("members", (made) => {
    props.onClose();
    props.onMade(made);
  });
  return (
    <FormDialog
      title="Invite a member"
      isOpen
      onClose={props.onClose}
      onSubmit={() =>
        invite.mutate({ path: "/invitations", method: "POST", body: { email, role } })
      }
      submit="Create invite"
      busy={invite.isPending}
      error={errorBeside(invite.error, ["email"])}
    >
      <TextField
        label="Email"
        type="email"
        required
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
    </FormDialog>
  );
}
