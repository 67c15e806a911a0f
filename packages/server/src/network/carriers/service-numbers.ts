import type { Mode } from "@longwave/contract";
import type { Base } from "../../base.ts";
import type { CarriersDeps } from "../../carriers/deps.ts";

/** The number that simulated codes come from. */
const SIMULATED_NUMBER = "+15005550199";

/**
 * The service's number that a phone gets its codes from: always the same one, as long as the list
 * stays the same. Null when live codes have none to come from.
 */
export function serviceNumberFor(deps: CarriersDeps, mode: Mode, phone: string): string | null {
  const numbers = deps.config.verifyNumbers.filter((number) => deps.carriers.serves(number));
  if (numbers.length > 0) return numbers[Number(phone.slice(-4)) % numbers.length] ?? null;
  return mode === "test" || hasSimulator(deps) ? SIMULATED_NUMBER : null;
}

/** Whether a text from this number can leave: the simulated one is known to simulators alone. */
export function canLeaveFrom(deps: CarriersDeps, number: string): boolean {
  return number !== SIMULATED_NUMBER || hasSimulator(deps);
}

function hasSimulator(deps: CarriersDeps): boolean {
  return deps.carriers.all().some((carrier) => carrier.isSimulator === true);
}

export function isServiceNumber(deps: Pick<Base, "config">, number: string): boolean {
  return deps.config.verifyNumbers.includes(number) || number === SIMULATED_NUMBER;
}
