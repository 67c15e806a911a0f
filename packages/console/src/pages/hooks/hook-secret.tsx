import type { HookWithSecret } from "@longwave/sdk";
import { SecretDialog } from "../../ui/dialog.tsx";
import { addressOf } from "./words.ts";

/** Shows the secret of a hook once. Without a signature, the address holds it. */
export function HookSecret(props: { made: HookWithSecret | null; onClose: () => void }) {
  const { made } = props;
  const isInAddress = made !== null && !made.declaration.signature;
  const secret = made === null ? null : isInAddress ? addressOf(made.url) : made.secret;
  return (
    <SecretDialog
      title={isInAddress ? "The hook's address" : "The hook's secret"}
      secret={secret}
      what={
        isInAddress
          ? "It ends in the secret. Paste it into the program now; a new secret can be made later."
          : "Paste it into the program now; a new one can be made later. The hook's page shows its address."
      }
      onClose={props.onClose}
    />
  );
}
