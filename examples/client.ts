import { Longwave } from "@longwave/sdk";

/** Sandbox number of the first start. */
export const OUR_NUMBER = process.env["LONGWAVE_NUMBER"] ?? "+15005550100";
export const PORT = Number(process.env["PORT"] ?? 3000);

/** Client for LONGWAVE_URL, or for the server on this machine. */
export function client(): Longwave {
  if (!process.env["LONGWAVE_API_KEY"]) {
    throw new Error("Set LONGWAVE_API_KEY to a test key of your server.");
  }
  return new Longwave();
}
