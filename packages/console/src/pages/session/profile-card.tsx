import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery } from "../../api/session.ts";
import type { SessionUser } from "../../api/session-types.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, errorAt, errorBeside, TextField } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";

const NAME_CHARS = 120;

/** Name of the person, and mail about problems. */
export function ProfileCard(props: { user: SessionUser }) {
  const { user } = props;
  const client = useQueryClient();
  const [name, setName] = useState(user.name ?? "");
  const [getsNotices, setGetsNotices] = useState(user.mail_notices);
  const save = useMutation({
    mutationFn: () =>
      consoleCall("/me", {
        method: "PATCH",
        body: { name: name.trim() || null, mail_notices: getsNotices },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast("Saved.");
    },
  });
  const isChanged = name.trim() !== (user.name ?? "") || getsNotices !== user.mail_notices;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Card title="Profile">
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Name"
          optional
          autoComplete="name"
          maxLength={NAME_CHARS}
          value={name}
          error={errorAt(save.error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        <CheckField
          label="Email me about problems"
          help="Failing webhooks, the spend limit and decided registrations go to owners and admins; carriers that are down and requests for live access go to operators."
          checked={getsNotices}
          onChange={setGetsNotices}
        />
        {errorBeside(save.error, ["name"]) !== null && <ErrorBox error={save.error} />}
        <div className="row">
          <Button type="submit" disabled={!isChanged} busy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
