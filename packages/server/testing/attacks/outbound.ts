import { setTimeout as sleep } from "node:timers/promises";
import { ATTACKER_NUMBER, type Attack, call, sendMessages } from "./attack.ts";
import { flood, pipelined, type Target, wire } from "./flood.ts";

const ENDPOINTS_PER_ACCOUNT = 5;
const ECHO_PHONE = "+15005550011";
const TWILIO_ACCOUNT = `AC${"0".repeat(32)}`;

const twilioHeaders = (key: string) => ({
  authorization: `Basic ${Buffer.from(`${TWILIO_ACCOUNT}:${key}`).toString("base64")}`,
});

/** Reads the attacker's numbers through the Twilio-compatible API, or changes one. */
async function callTwilio(
  { url, key }: Target,
  path: string,
  form?: Readonly<Record<string, string>>,
): Promise<{ readonly incoming_phone_numbers: readonly { readonly sid: string }[] }> {
  const [name, query = ""] = path.split("?");
  const numbers = `${url}/2010-04-01/Accounts/${TWILIO_ACCOUNT}/IncomingPhoneNumbers`;
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(`${numbers}${name}.json?${query}`, {
      method: form ? "POST" : "GET",
      headers: twilioHeaders(key),
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    if (answer.status !== 429 || tries === TRIES_MAX) throw new Error(`${path}: ${text}`);
    await sleep(AGAIN_MS);
  }
}
const TRIES_MAX = 20;
const AGAIN_MS = 250;

/** Attacks that make the server call a host that never responds or responds with too much. */
export const OUTSIDE_ATTACKS: readonly Attack[] = [
  {
    name: "hanging webhooks",
    what: "messages whose events go to five endpoints that accept connections and never respond",
    meets: [201],
    run: async (target) => {
      const made = Array.from({ length: ENDPOINTS_PER_ACCOUNT }, (_, index) =>
        call(target, "POST", "/v1/webhooks", {
          url: `${target.hostileUrl}/hang/${index}`,
          events: ["*"],
        }),
      );
      const endpoints = await Promise.all(made);
      await sendMessages(target);
      for (const { id } of endpoints) await call(target, "DELETE", `/v1/webhooks/${id}`);
    },
  },
  {
    name: "registration checks",
    what: "checks of a website with a megabyte of nested tags, by three accounts",
    meets: [200],
    run: (target) =>
      each(target, target.keys.slice(0, 3), (key) => ({
        connections: 4,
        bytes: () =>
          wire({
            method: "POST",
            path: "/v1/registrations/prefill",
            key,
            body: JSON.stringify({ website: `${target.hostileUrl}/site` }),
          }),
      })),
  },
  {
    name: "words of a website",
    what: "checks of a website whose words and links are slow to search; one once blocked the event loop for 6 s",
    meets: [200],
    isShort: true,
    run: (target) =>
      each(target, target.keys.slice(3), (key) => ({
        connections: 2,
        bytes: () =>
          wire({
            method: "POST",
            path: "/v1/registrations/prefill",
            key,
            body: JSON.stringify({ website: `${target.hostileUrl}/site/words` }),
          }),
      })),
  },
  {
    name: "Twilio-compatible API",
    what: "pages of a thousand messages, and messages whose callbacks never respond, through Twilio's paths",
    meets: [200, 201],
    run: (target) => {
      const path = `/2010-04-01/Accounts/${TWILIO_ACCOUNT}/Messages.json`;
      const form = new URLSearchParams({
        To: "+15005550000",
        From: ATTACKER_NUMBER,
        Body: "Hello",
        StatusCallback: `${target.hostileUrl}/hang`,
      });
      return flood(target, {
        connections: 8,
        bytes: ({ key }) =>
          Buffer.concat([
            pipelined(8, { path: `${path}?PageSize=1000`, headers: twilioHeaders(key) }),
            pipelined(8, {
              method: "POST",
              path,
              headers: twilioHeaders(key),
              type: "application/x-www-form-urlencoded",
              body: form.toString(),
            }),
          ]),
      });
    },
  },
  {
    name: "TwiML loop",
    what: "a number that replies to each message with ten, and a phone that echoes all of them",
    meets: [201],
    run: async (target) => {
      const number = await callTwilio(
        target,
        `?PhoneNumber=${encodeURIComponent(ATTACKER_NUMBER)}`,
      );
      const sid = number.incoming_phone_numbers[0]?.sid ?? "";
      await callTwilio(target, `/${sid}`, { SmsUrl: `${target.hostileUrl}/twiml` });
      const text = { to: ECHO_PHONE, from: ATTACKER_NUMBER, body: "Hello" };
      const body = JSON.stringify(text);
      await flood(target, {
        connections: 4,
        restMs: 100,
        bytes: ({ key }) => wire({ method: "POST", path: "/v1/messages", key, body }),
      });
      await callTwilio(target, `/${sid}`, { SmsUrl: "" });
    },
  },
  {
    name: "importer",
    what: "imports of six accounts from a provider that never responds, started repeatedly",
    meets: [202],
    run: (target) =>
      each(target, target.keys, (key) => ({
        connections: 4,
        bytes: () =>
          wire({
            method: "POST",
            path: "/console/v1/imports",
            key,
            body: JSON.stringify({
              provider: "twilio",
              account_sid: TWILIO_ACCOUNT,
              secret: "0".repeat(32),
            }),
          }),
      })),
  },
  {
    name: "media",
    what: "messages whose reserved media field is as large as a body may be",
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

/** Floods with several accounts at once, because the hourly limit of website checks is per account. */
async function each(
  target: Target,
  keys: readonly string[],
  how: (key: string) => Parameters<typeof flood>[1],
): Promise<void> {
  await Promise.all(keys.map((key) => flood(target, how(key))));
}
