import type { Command } from "commander";
import { addAddCarrier } from "./add-carrier.ts";
import { addRemoveCarrier } from "./remove-carrier.ts";
import { addTestCarrier } from "./test-carrier.ts";

/** Commands for the carriers of the carriers file. */
export function addCarriers(program: Command): void {
  const carriers = program
    .command("carriers")
    .summary("add a provider, try a carrier of this server, or remove it")
    .description("Commands for the carriers of the carriers file.");
  addAddCarrier(carriers);
  addTestCarrier(carriers);
  addRemoveCarrier(carriers);
}
