import { simulatedOutcome } from "../carriers/index.ts";

export type LineType = "mobile" | "landline" | "unknown";

const TEST_NUMBER_PREFIX = "+1500555";

/**
 * What kind of line each phone is. Test numbers are what the table of the simulated network says;
 * of others nothing is known until a source of line types is connected here.
 */
export async function lookupLineTypes(
  phones: readonly string[],
): Promise<ReadonlyMap<string, LineType>> {
  return new Map(phones.map((phone) => [phone, lineTypeOf(phone)]));
}

function lineTypeOf(phone: string): LineType {
  return phone.startsWith(TEST_NUMBER_PREFIX) ? simulatedOutcome(phone).lineType : "unknown";
}
