import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { CarriersDeps } from "./deps.ts";

/** Sender of simulated codes. */
const SIMULATED_NUMBER = "+15005550199";

/**
 * Service number that sends codes to a phone. Stable while the list of numbers is unchanged. Null
 * when no carrier can send live codes.
 */
export function serviceNumberFor(deps: CarriersDeps, mode: Mode, phone: string): string | null {
  const configured = configuredNumberFor(deps, phone);
  if (configured !== null) return configured;
  return mode === "test" || hasSimulator(deps) ? SIMULATED_NUMBER : null;
}

/**
 * The number of LONGWAVE_VERIFY_NUMBERS for this phone, among the numbers that a carrier serves.
 */
export function configuredNumberFor(
  deps: Pick<CarriersDeps, "config" | "carriers">,
  phone: string,
): string | null {
  const numbers = deps.config.verifyNumbers.filter((number) => deps.carriers.serves(number));
  return numbers[Number(phone.slice(-4)) % numbers.length] ?? null;
}

/** Whether messages from this number can leave: only simulators know the simulated number. */
export function canLeaveFrom(deps: CarriersDeps, number: string): boolean {
  return number !== SIMULATED_NUMBER || hasSimulator(deps);
}

function hasSimulator(deps: CarriersDeps): boolean {
  return deps.carriers.all().some((carrier) => carrier.isSimulator === true);
}

export function isServiceNumber(deps: Pick<Base, "config">, number: string): boolean {
  return deps.config.verifyNumbers.includes(number) || number === SIMULATED_NUMBER;
}
