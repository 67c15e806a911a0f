import { OWN_PHONE_SENDS_MAX, Problem } from "@longwave/contract";
import { codeToSend, type OwnPhoneRow, type Principal, writeOwnPhone } from "../accounts/index.ts";
import type { Tx } from "../db/database.ts";
import { acceptIn, compose, type HandoverDeps, NO_PLACES } from "../handover/index.ts";
import { codeSender, hasStoppedService, maskedText, takeTurnOf } from "../verify/index.ts";

const APP_NAME = "Longwave";

/** Texts a phone its code; answers the row, and whether only the sandbox took the text. */
export async function sendCode(
  deps: HandoverDeps,
  tx: Tx,
  { account, mode }: Principal,
  phone: string,
  before: OwnPhoneRow | null,
): Promise<{ row: OwnPhoneRow; isSimulated: boolean }> {
  const now = deps.clock.now();
  const sender = codeSender(deps, mode, phone);
  if (sender === null) {
    throw new Problem(
      "unavailable",
      "The service has no number to send codes from. Ask the operator to set LONGWAVE_VERIFY_NUMBERS.",
    );
  }
  if (await hasStoppedService(tx, phone)) {
    throw new Problem("recipient_opted_out", `${phone} has told the service to stop.`, {
      param: "phone_number",
    });
  }
  const code = codeToSend(deps, before);
  if (code.sends > OWN_PHONE_SENDS_MAX) throw tooMany(phone, (code.expiresAtMs - now) / 1_000);
  if (sender.leaves) {
    const wait = await takeTurnOf(deps, tx, phone, now);
    if (wait !== null) throw tooMany(phone, wait);
  }
  const wanted = {
    account,
    mode,
    from: sender.from,
    to: phone,
    body: maskedText(APP_NAME, null),
    customerId: null,
    poolId: null,
    verificationId: code.codeId,
    fromService: true,
    leaves: sender.leaves,
  };
  // The dispatcher takes it from here, within moments: a request need not wait for a carrier.
  const composed = await compose(deps, wanted, NO_PLACES);
  if (composed.row.status === "failed") {
    throw new Problem("carrier_error", "The carrier refused the text for good. Check the number.");
  }
  if (sender.leaves) await acceptIn(deps, tx, account.shard, [composed]);
  const row = await writeOwnPhone(deps, tx, account, phone, code);
  return { row, isSimulated: !sender.leaves };
}

function tooMany(phone: string, seconds: number): Problem {
  const wait = Math.max(1, Math.ceil(seconds));
  return new Problem(
    "rate_limited",
    `${phone} has had as many codes as it may. Try again in ${wait} seconds.`,
    { param: "phone_number", headers: { "retry-after": String(wait) } },
  );
}
