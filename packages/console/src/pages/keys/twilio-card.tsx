import { useState } from "react";
import { useAccount } from "../../api/account.tsx";
import { useAct, useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Card, Facts } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";

/** Credentials of programs written for Twilio; nothing while the server does not serve them. */
export function TwilioCard() {
  const { mode } = useAccount();
  const account = useRead(["account"], (api, signal) => api.account.get({ signal }));
  const [isAsking, setIsAsking] = useState(false);
  const [isShown, setIsShown] = useState(false);
  const [name, other] = mode === "test" ? ["sandbox", "live"] : ["live", "sandbox"];
  const roll = useAct((_: null, { api }) => api.account.rollTwilioAuthToken(), {
    stale: ["account"],
    onDone: () => {
      setIsAsking(false);
      toast(`The ${name} token is rolled.`);
    },
  });
  const sid = account.data?.twilio_account_sid ?? null;
  const verifySid = account.data?.twilio_verify_sid ?? null;
  const token = account.data?.twilio_auth_token ?? null;
  if (sid === null || verifySid === null || token === null) return null;
  const button = (
    <Button size="small" icon="retry" onClick={() => setIsAsking(true)}>
      Roll the {name} token
    </Button>
  );
  const shown = isShown ? (
    <Copy text={token} />
  ) : (
    <Button size="small" onClick={() => setIsShown(true)}>
      Show the {name} token
    </Button>
  );
  return (
    <Card title="Programs written for Twilio" aside={button}>
      <div className="stack">
        <p className="muted">
          They sign in with this account sid and an auth token, and check callbacks with the token.
          Sandbox and live have a token each, with full access. A pool's page has its messaging
          service sid, and a number's page the address that gets its inbound messages.
        </p>
        <Facts
          facts={[
            { name: "Account sid", value: <Copy text={sid} /> },
            { name: "Auth token", value: shown },
            { name: "Verify service sid", value: <Copy text={verifySid} /> },
          ]}
        />
      </div>
      <Confirm
        title={`Roll the ${name} auth token?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => roll.mutate(null)}
        action="Roll the token"
        busy={roll.isPending}
        error={roll.error}
      >
        Programs with the current {name} token are refused at once, and callbacks are signed with
        the new one. The {other} token stays.
      </Confirm>
    </Card>
  );
}
