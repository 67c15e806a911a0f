import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onRefusal, type ReaderPrompt } from "../api/console-fetch.ts";
import { sessionQuery } from "../api/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";

interface Waiting {
  readonly prompt: ReaderPrompt;
  readonly resolve: (isConfirmed: boolean) => void;
}

/**
 * Dialog for a session that ended, or a password to confirm. The page stays, and the waiting calls
 * continue with their Idempotency-Keys.
 */
export function SignInAgain() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery);
  const [waiting, setWaiting] = useState<readonly Waiting[]>([]);
  useEffect(() => {
    onRefusal(
      (prompt) =>
        new Promise<boolean>((resolve) => setWaiting((before) => [...before, { prompt, resolve }])),
    );
    return () => onRefusal(null);
  }, []);
  const end = (isConfirmed: boolean) => {
    for (const { resolve } of waiting) resolve(isConfirmed);
    setWaiting([]);
    if (isConfirmed) void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  const hasEnded = waiting.some(({ prompt }) => prompt === "session_required");
  if (hasEnded || waiting.length === 0) {
    return (
      <Dialog title="Your session has ended" isOpen={hasEnded} onClose={() => {}}>
        <div className="dialog-body stack">
          <p className="muted">Sign in to continue. Your work is saved.</p>
          <SignInForm onDone={() => end(true)} />
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Confirm your password" isOpen onClose={() => end(false)}>
      <div className="dialog-body stack">
        <p className="muted">
          Changes to keys, secrets, money and members need your password. For some minutes you will
          not be asked again.
        </p>
        <SignInForm confirms={session.data?.user?.email ?? ""} onDone={() => end(true)} />
      </div>
    </Dialog>
  );
}
