import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Asked, onRefusal } from "../api/exchange.ts";
import { sessionQuery } from "../api/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";

interface Waiting {
  readonly asked: Asked;
  readonly resolve: (isGiven: boolean) => void;
}

/**
 * When a session ends in the middle of something, or the password is wanted again, the page stays: a
 * dialog asks, and the calls that waited go on as they were, each with its Idempotency-Key.
 */
export function SignInAgain() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  useEffect(() => {
    onRefusal(
      (asked) =>
        new Promise<boolean>((resolve) => setWaiting((before) => [...before, { asked, resolve }])),
    );
    return () => onRefusal(null);
  }, []);
  const end = (isGiven: boolean) => {
    for (const { resolve } of waiting) resolve(isGiven);
    setWaiting([]);
    if (isGiven) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const hasEnded = waiting.some(({ asked }) => asked === "session_required");
  if (hasEnded || waiting.length === 0) {
    return (
      <Dialog title="Your session has ended" isOpen={hasEnded} onClose={() => {}}>
        <div className="dialog-body stack">
          <p className="muted">
            Sign in again and everything goes on where it was. Nothing is lost.
          </p>
          <SignInForm onDone={() => end(true)} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Is it you?" isOpen onClose={() => end(false)}>
      <div className="dialog-body stack">
        <p className="muted">
          This concerns keys, secrets, money or people. Give your password, and it goes on; for some
          minutes you will not be asked again.
        </p>
        <SignInForm confirms={session.data?.user?.email ?? ""} onDone={() => end(true)} />
      </div>
    </Dialog>
  );
}
