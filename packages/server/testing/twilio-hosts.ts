import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toTwilioSid } from "@longwave/contract";
import { createAuthority } from "../src/surfaces/twilio-hosts/authority.ts";
import { freePort } from "./free-port.ts";
import { type Kit, type Lifetime, startKit } from "./kit.ts";

/** Server that answers Twilio's host names, and the environment in which unmodified programs find and trust it. */
export interface TwilioHosts {
  readonly kit: Kit;
  readonly proxyPort: number;
  readonly env: {
    readonly SID: string;
    readonly TOKEN: string;
    readonly [variable: string]: string;
  };
}

/** Starts a server with the HTTPS listener and its proxy. `SID` and `TOKEN` are the sandbox's credentials. */
export async function startTwilioHosts(t: Lifetime): Promise<TwilioHosts> {
  const [port, proxyPort] = [await freePort(), await freePort()];
  const kit = await startKit(t, {
    LONGWAVE_TWILIO_API: "1",
    LONGWAVE_TWILIO_HTTPS_PORT: `${port}`,
    LONGWAVE_TWILIO_PROXY_PORT: `${proxyPort}`,
  });
  const folder = await mkdtemp(join(tmpdir(), "lw-hosts-"));
  t.after(() => rm(folder, { recursive: true }));
  const ca = join(folder, "twilio-ca.pem");
  await writeFile(ca, createAuthority(kit.deps.secrets).certificate());
  const { body } = await kit.request("GET", "/v1/account");
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    SID: toTwilioSid("account", kit.account.id),
    TOKEN: body.twilio_auth_token,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NODE_EXTRA_CA_CERTS: ca,
    REQUESTS_CA_BUNDLE: ca,
  };
  return { kit, proxyPort, env };
}
