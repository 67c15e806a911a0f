import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { consoleCall } from "../../api/client.ts";
import { sessionQuery, useSession } from "../../api/session.ts";
import type { OwnSession } from "../../api/session-types.ts";
import { densityChoice, setPreference, zoneChoice } from "../../preferences.ts";
import { setTheme, type ThemeChoice, themeChoice } from "../../shell/theme.tsx";
import { ToSignIn } from "../../shell/to-sign-in.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { errorAt, errorBeside, Segmented } from "../../ui/field.tsx";
import { Card, Page } from "../../ui/page.tsx";
import { PasswordField } from "../../ui/password-field.tsx";
import { ErrorBox } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Time } from "../../ui/values.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { ProfileCard } from "./profile-card.tsx";
import { TotpCard } from "./totp-card.tsx";

export function MePage() {
  const { user } = useSession();
  if (!user) return <ToSignIn />;
  return (
    <main className="main main-alone">
      <Page
        title="Profile and security"
        about={user.email}
        narrow
        actions={<ButtonLink to="/">Back to the console</ButtonLink>}
      >
        <div className="stack-wide">
          <ProfileCard user={user} />
          <Looks />
          <PasswordCard />
          <PasskeysCard user={user} />
          <TotpCard user={user} />
          <SessionsCard />
        </div>
      </Page>
    </main>
  );
}

function Looks() {
  const [choice, setChoice] = useState(themeChoice);
  const choose = (value: ThemeChoice) => {
    setTheme(value);
    setChoice(value);
  };
  return (
    <Card title="Appearance">
      <div className="row">
        <Segmented
          label="Theme"
          value={choice}
          choices={[
            { value: "system", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
          onChange={choose}
        />
        <Segmented
          label="Rows of lists"
          value={densityChoice()}
          choices={[
            { value: "roomy", label: "Comfortable" },
            { value: "dense", label: "Compact" },
          ]}
          onChange={(value) => setPreference("density", value)}
        />
        <Segmented
          label="Times"
          value={zoneChoice()}
          choices={[
            { value: "local", label: "Your own time" },
            { value: "utc", label: "UTC" },
          ]}
          onChange={(value) => setPreference("zone", value)}
        />
      </div>
    </Card>
  );
}

function PasswordCard() {
  const [password, setPassword] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation({
    mutationFn: () =>
      consoleCall("/me/password", { method: "POST", body: { password, new_password: next } }),
    onSuccess: () => {
      setPassword("");
      setNext("");
      toast("The password is changed. Other sessions are ended.");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const newError = change.error && errorAt(change.error, "password");
  return (
    <Card title="Password">
      <form className="stack" onSubmit={submit}>
        <PasswordField label="Current password" value={password} onChange={setPassword} />
        <PasswordField
          isNew
          label="New password"
          value={next}
          error={newError}
          onChange={setNext}
        />
        {errorBeside(change.error, ["password"]) !== null && <ErrorBox error={change.error} />}
        <div className="row">
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}

function SessionsCard() {
  const client = useQueryClient();
  const sessions = useQuery({
    queryKey: ["me", "sessions"],
    queryFn: ({ signal }) => consoleCall<{ data: OwnSession[] }>("/me/sessions", { signal }),
  });
  const end = useMutation({
    mutationFn: (id: string) => consoleCall(`/me/sessions/${id}`, { method: "DELETE" }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["me", "sessions"] });
      void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
  return (
    <Card title="Sessions" flush>
      <ul>
        {(sessions.data?.data ?? []).map((each) => (
          <li key={each.id} className="alarm">
            <span className="grow">
              <span className="strong">{browserName(each.agent)}</span>{" "}
              <span className="muted">{each.ip}</span>{" "}
              {each.current && <span className="chip">this session</span>}
            </span>
            <span className="meta">
              active <Time at={each.used_at} />
            </span>
            {!each.current && (
              <Button size="small" onClick={() => end.mutate(each.id)}>
                End
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function browserName(agent: string): string {
  const name =
    ["Firefox", "Edg", "Chrome", "Safari"].find((each) => agent.includes(each)) ?? "A browser";
  const system = ["Windows", "Mac OS", "Android", "iPhone", "Linux"].find((each) =>
    agent.includes(each),
  );
  return system ? `${name.replace("Edg", "Edge")} on ${system}` : name;
}
