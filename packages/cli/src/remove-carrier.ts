import type { CarrierLink } from "@longwave/sdk";
import type { Command } from "commander";
import { confirm } from "./ask.ts";
import { CommandFailure, EXIT, UsageError } from "./exit-codes.ts";
import { openSession, type Session } from "./session.ts";
import { linkOf } from "./test-carrier.ts";

/** `longwave carriers remove telnyx`: takes a carrier and its secrets out of the carriers file. */
export function addRemoveCarrier(carriers: Command): void {
  carriers
    .command("remove")
    .summary("remove a carrier and its secrets from the carriers file")
    .description(
      "Takes the entry out of the carriers file, and its secrets out of the private file beside it. Messages that the carrier has keep their state, but its receipts and replies no longer arrive. Numbers stay with their accounts. Not on a terminal, give --yes.",
    )
    .argument("<name>", "name of the carrier in the carriers file")
    .option("--yes", "remove it without asking")
    .action(async (name: string, { yes }: { yes?: boolean }, command: Command) =>
      removeCarrier(openSession(command), name, yes === true),
    );
}

async function removeCarrier(session: Session, name: string, isSure: boolean): Promise<void> {
  const { terminal, client, access } = session;
  if (access.operatorToken === undefined) throw new UsageError(access.whyNoToken);
  const link = await linkOf(client, name);
  if (!isSure) {
    if (!terminal.isInteractive) throw new UsageError(`--yes removes ${name}.`);
    if (!(await confirm(`Remove ${name}, which serves ${numbersOf(link)}?`))) {
      throw new CommandFailure("Nothing was removed.", EXIT.refused);
    }
  }
  const removed = await client.operator.carriers.delete(name);
  if (terminal.json) {
    terminal.out(JSON.stringify(removed));
    return;
  }
  const { file, variables, numbers_without_carrier } = removed;
  terminal.out(`${name} is no longer in ${file}.`);
  if (variables.length > 0) terminal.out(`Secrets removed: ${variables.join(", ")}`);
  const { inbound } = link.callback_urls;
  if (inbound) terminal.out(`Left to do at the provider: remove the webhook ${inbound}`);
  if (numbers_without_carrier.length > 0) {
    terminal.out(`Without a carrier now: ${numbers_without_carrier.join(", ")}`);
  }
}

function numbersOf({ numbers }: CarrierLink): string {
  if (numbers === "*") return "every number";
  if (numbers.length === 0) return "no number";
  return numbers.length > 5 ? `${numbers.length} numbers` : numbers.join(", ");
}
