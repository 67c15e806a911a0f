import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Smsc, type SmscOptions } from "@longwave/smpp/smsc";
import { giveNumber } from "./give-number.ts";
import { type Answer, type Kit, type KitOptions, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { makeFolder } from "./temporary-folder.ts";
import { until } from "./until.ts";

export const SMPP_FROM = "+14155550100";

/** A server whose live messages go over SMPP to a test's SMSC. */
export interface SmppStage {
  readonly kit: Kit;
  readonly smsc: Smsc;
  send(to: string, body?: string): Promise<Answer>;
  // biome-ignore lint/suspicious/noExplicitAny: a message as a client reads it.
  read(id: string): Promise<any>;
}

export async function startSmppStage(
  lifetime: Lifetime,
  smscOptions: SmscOptions = {},
  entry: object = {},
  options: KitOptions = {},
): Promise<SmppStage> {
  const smsc = await Smsc.start({ password: "secret", redeliverMs: 50, ...smscOptions });
  lifetime.after(() => smsc.stop());
  const file = await carriersFile(lifetime, [smppEntry(smsc, entry)]);
  const kit = await startKit(lifetime, { LONGWAVE_CARRIERS: file }, options);
  await until(() => kit.deps.carriers.all()[0]?.state().state === "up");
  await goLive(kit, 100);
  await giveNumber(kit, { phone: SMPP_FROM, mode: "live", senderState: "active" });
  return {
    kit,
    smsc,
    send: (to, body = "Hello") =>
      kit.request("POST", "/v1/messages", {
        key: kit.liveKey,
        body: { to, from: SMPP_FROM, body },
      }),
    read: async (id) => (await kit.request("GET", `/v1/messages/${id}`)).body,
  };
}

/** Carriers file entry for this SMSC. */
export function smppEntry(smsc: Pick<Smsc, "port">, changes: object = {}): object {
  return {
    name: "wire",
    type: "smpp",
    host: "127.0.0.1",
    port: smsc.port,
    system_id: "us",
    password: "secret",
    ...changes,
  };
}

export async function carriersFile(
  lifetime: Lifetime,
  carriers: readonly object[],
): Promise<string> {
  const { folder, remove } = await makeFolder();
  lifetime.after(remove);
  const file = join(folder, "carriers.json");
  await writeCarriers(file, carriers);
  return file;
}

export async function writeCarriers(file: string, carriers: readonly object[]): Promise<void> {
  await writeFile(file, JSON.stringify({ carriers }));
}
