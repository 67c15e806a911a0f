/** A sandbox recipient that always has the same outcome. */
export interface MagicNumber {
  readonly phone: string;
  readonly outcome: string;
}

// biome-ignore format: one number per line, read as a table
export const MAGIC_NUMBERS: readonly MagicNumber[] = [
  { phone: "+15005550000", outcome: "Delivered" },
  { phone: "+15005550001", outcome: "Fails: invalid number" },
  { phone: "+15005550002", outcome: "Delivered on the retry" },
  { phone: "+15005550003", outcome: "Carrier never available" },
  { phone: "+15005550004", outcome: "Refused at once" },
  { phone: "+15005550005", outcome: "No receipt ever comes" },
  { phone: "+15005550006", outcome: "Fails: filtered" },
  { phone: "+15005550007", outcome: "A landline" },
  { phone: "+15005550008", outcome: "Fails: unreachable" },
  { phone: "+15005550009", outcome: "Delivered after 30 s" },
  { phone: "+15005550010", outcome: "Delivered, replies STOP" },
  { phone: "+15005550011", outcome: "Delivered, echoes the text" },
  { phone: "+15005550020", outcome: "Verification is blocked" },
];
