import { statusMeaning } from "@longwave/smpp";

const SMPP_STATUS = /^smpp:0x([0-9a-f]{8})$/;

/** A carrier's code for readers, SMPP's with its meaning: `smpp:0x00000008` is `0x08, system error`. */
export function carrierCodeText(code: string): string {
  const [, hex] = SMPP_STATUS.exec(code) ?? [];
  if (hex === undefined) return code;
  const status = Number.parseInt(hex, 16);
  const short = `0x${status.toString(16).padStart(2, "0")}`;
  const meaning = statusMeaning(status);
  return meaning === null ? short : `${short}, ${meaning}`;
}
