import assert from "node:assert/strict";
import { test } from "node:test";
import { type DescribedList, readDescription } from "../../../testing/described-twilio.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import {
  type ForeignFixture,
  type MockProvider,
  startProvider,
  startTwilio,
  TWILIO_LOGIN,
} from "../../../testing/mock-providers.ts";
import { until } from "../../../testing/until.ts";

/** Folder of `twilio_api_v2010.json` and the other descriptions: github.com/twilio/twilio-oai, spec/json. */
// biome-ignore lint/style/noProcessEnv: names the folder of Twilio's description, if there is one
const FOLDER = process.env["LONGWAVE_TWILIO_OPENAPI"] ?? "";
const skip = FOLDER === "" && "LONGWAVE_TWILIO_OPENAPI names no folder with Twilio's description";

const NUMBERS = "/2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers.json";
const SERVICES = "/v1/Services";
const MEMBERS = "/v1/Services/{ServiceSid}/PhoneNumbers";
const PAGE_ITEMS = 40;

const sid = (prefix: string, index: number) => prefix + index.toString(16).padStart(32, "0");
const phone = (index: number) => `+1206557${String(index).padStart(4, "0")}`;
const MG = sid("MG", 1);

const FIXTURE: ForeignFixture = {
  numbers: Array.from({ length: 100 }, (_, index) => ({
    ...{ phone: phone(index), sms: index !== 7 },
    ...(index === 0 ? { url: "https://app.example.com/sms" } : {}),
  })),
  services: [
    { id: MG, name: "Reminders", phones: [phone(0), phone(1)], url: "https://app.example.com/mg" },
  ],
};

/**
 * A server generated from Twilio's description. Fields that the importer does not read take any value that
 * the description allows.
 */
function startDescribed(t: Parameters<typeof startProvider>[0]): Promise<MockProvider> {
  const description = readDescription(FOLDER);
  const lists = {
    numbers: description.list(NUMBERS),
    services: description.list(SERVICES),
    members: description.list(MEMBERS),
  };
  const { account_sid, secret } = TWILIO_LOGIN;
  const login = `Basic ${Buffer.from(`${account_sid}:${secret}`).toString("base64")}`;
  const base = NUMBERS.replace("{AccountSid}", account_sid);
  const pageOf = <T>(all: readonly T[], query: URLSearchParams) => {
    const page = Number(query.get("Page") ?? 0);
    const from = page * PAGE_ITEMS;
    return {
      items: all.slice(from, from + PAGE_ITEMS),
      next: from + PAGE_ITEMS < all.length ? page + 1 : null,
    };
  };
  const isAsked = (list: DescribedList, query: URLSearchParams) =>
    [...query.keys()].every((name) => list.query.has(name));
  return startProvider(
    t,
    (request) => request.headers.authorization === login,
    (path, query) => {
      if (path === base && isAsked(lists.numbers, query)) {
        const { items, next } = pageOf(FIXTURE.numbers, query);
        const shown = items.map((number) => ({
          phone_number: number.phone,
          capabilities: { sms: number.sms === true, mms: true, voice: true, fax: false },
          sms_url: number.url ?? "",
          sms_fallback_url: null,
        }));
        const next_page_uri =
          next === null ? null : `${base}?PageSize=1000&Page=${next}&PageToken=PA${next}`;
        return lists.numbers.answer("incoming_phone_numbers", shown, { next_page_uri });
      }
      if (path === SERVICES && isAsked(lists.services, query)) {
        const shown = FIXTURE.services.map((service) => ({
          sid: service.id,
          friendly_name: service.name,
          inbound_request_url: service.url,
          fallback_url: null,
          status_callback: null,
        }));
        return lists.services.answer("services", shown, { next_page_url: null });
      }
      if (path !== MEMBERS.replace("{ServiceSid}", MG) || !isAsked(lists.members, query))
        return null;
      const shown = FIXTURE.services[0]?.phones.map((phone_number) => ({ phone_number })) ?? [];
      return lists.members.answer("phone_numbers", shown, { next_page_url: null });
    },
  );
}

async function run(kit: Kit) {
  const started = await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  let { body } = started;
  await until(async () => {
    ({ body } = await kit.request("GET", `/console/v1/imports/${started.body.id}`));
    return body.status !== "running";
  }, 30_000);
  return body;
}

test("an account is imported from a server generated from Twilio's own description", {
  skip,
}, async (t) => {
  const mock = await startDescribed(t);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  mock.fail("Page=1", { status: 429, headers: { "retry-after": "0" } });
  mock.fail("Page=2", "cut");
  const done = await run(kit);
  assert.equal(done.status, "complete", JSON.stringify(done.error));
  assert.deepEqual(done.progress, { phase: "writing", done: 99 + 1 + 2, total: 102 });
  assert.equal((await kit.rows("select 1 from port_requests")).length, 99);
  const again = await run(kit);
  assert.deepEqual(again.progress, { phase: "writing", done: 0, total: 0 });
  mock.fail("Page=2", { status: 500 }, 4);
  assert.equal((await run(kit)).error.code, "provider_unavailable");
});

test("answers of our Twilio mock conform to Twilio's description", { skip }, async (t) => {
  const description = readDescription(FOLDER);
  const mock = await startTwilio(t, FIXTURE, PAGE_ITEMS);
  const { account_sid, secret } = TWILIO_LOGIN;
  const headers = {
    authorization: `Basic ${Buffer.from(`${account_sid}:${secret}`).toString("base64")}`,
  };
  for (const [path, at] of [
    [NUMBERS, NUMBERS.replace("{AccountSid}", account_sid)],
    [SERVICES, SERVICES],
    [MEMBERS, MEMBERS.replace("{ServiceSid}", MG)],
  ] as const) {
    const answer = await (await fetch(mock.url + at, { headers })).json();
    assert.deepEqual(description.list(path).complaints(answer), [], path);
  }
});
