import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { onSessionEnd } from "../api/exchange.ts";
import { sessionQuery } from "../api/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/**
 * When a session ends in the middle of something, the page stays: a dialog signs the reader in again,
 * and the calls that waited go on as they were, each with its Idempotency-Key.
 */
export function SignInAgain() {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState<readonly (() => void)[]>([]);
  useEffect(() => {
    onSessionEnd(
      () => new Promise<void>((resolve) => setWaiting((before) => [...before, resolve])),
    );
    return () => onSessionEnd(null);
  }, []);
  const goOn = () => {
    for (const resolve of waiting) resolve();
    setWaiting([]);
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <Dialog title="Your session has ended" isOpen={waiting.length > 0} onClose={() => {}}>
      <div className="dialog-body stack">
        <p className="muted">Sign in again and everything goes on where it was. Nothing is lost.</p>
        <SignInForm onDone={goOn} />
      </div>
    </Dialog>
  );
}
