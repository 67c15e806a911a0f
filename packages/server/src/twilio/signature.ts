import { createHmac } from "node:crypto";

/** How the other provider signs: the whole address, then every parameter and its value, by name. */
export function twilioSignature(
  token: string,
  url: string,
  parameters: Readonly<Record<string, string>>,
): string {
  const text = Object.keys(parameters)
    .sort((a, b) => (a < b ? -1 : 1))
    .reduce((sum, name) => sum + name + parameters[name], url);
  return createHmac("sha1", token).update(text, "utf8").digest("base64");
}
