import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { IMPORT_NUMBERS_MAX } from "@longwave/contract";
import type { Base } from "../src/core/base.ts";
import {
  type Credentials,
  ImportStopped,
  type Provider,
} from "../src/surfaces/importer/provider.ts";
import { createAsk } from "../src/surfaces/importer/provider-client.ts";
import type { ForeignFixture, MockProvider } from "./mock-providers.ts";

export interface ImportSubject {
  readonly provider: Provider;
  readonly credentials: Credentials;
  /** Part of the request path of the second page of numbers. */
  readonly secondPage: string;
  /** Starts the mock provider with this page size. */
  start(t: TestContext, given: ForeignFixture, pageItems: number): Promise<MockProvider>;
}

const phones = (count: number) =>
  Array.from({ length: count }, (_, index) => `+1206556${String(index).padStart(4, "0")}`);

/** Conformance suite of import providers. */
export function testImportProvider(
  subject: ImportSubject,
  deps: () => Pick<Base, "outgoing" | "clock">,
): void {
  const { provider, credentials } = subject;
  const read = (mock: MockProvider, more: Partial<Credentials> = {}) => {
    const ask = createAsk(deps(), provider.title, () => mock.url, new AbortController().signal);
    const counts: number[] = [];
    const onNumbers = (count: number) => void counts.push(count);
    const asking = { credentials: { ...credentials, ...more }, ask, onNumbers };
    return provider.read(asking).then((found) => ({ found, counts }));
  };
  const stopped = async (mock: MockProvider, code: string, more: Partial<Credentials> = {}) => {
    const error = await read(mock, more).then(
      () => assert.fail("the import did not stop"),
      (one: unknown) => one,
    );
    assert.ok(error instanceof ImportStopped, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, /^[A-Z].*\.$/s, "a sentence");
    assert.ok(!error.message.includes(credentials.secret), "no credentials in it");
  };
  const SMALL: ForeignFixture = {
    numbers: [
      ...phones(5).map((phone) => ({ phone })),
      { phone: "+447700900123" },
      { phone: "+12065570000", sms: false },
    ],
    services: [
      { id: "MG1", name: "Support", phones: phones(3), url: "https://a.example.com/in" },
      { id: "MG2", name: "Empty", phones: [] },
    ],
  };

  describe(`${provider.title}: import provider`, () => {
    it("reads everything, page by page, in order, and reports progress", async (t) => {
      const mock = await subject.start(t, SMALL, 2);
      const { found, counts } = await read(mock);
      assert.deepEqual(
        found.numbers.map(({ phone, sms }) => [phone, sms]),
        SMALL.numbers.map(({ phone, sms = true }) => [phone, sms]),
      );
      assert.deepEqual(
        found.services.map(({ id }) => id),
        ["MG1", "MG2"],
      );
      assert.deepEqual(found.services[0]?.phones, phones(3));
      assert.ok(
        found.urls.some(({ url, carries }) => url.endsWith("/in") && carries === "inbound"),
      );
      assert.equal(counts.at(-1), 7);
    });

    it("reads at most one number beyond the limit", async (t) => {
      const numbers = phones(IMPORT_NUMBERS_MAX + 60).map((phone) => ({ phone }));
      const mock = await subject.start(t, { numbers, services: [] }, 500);
      assert.equal((await read(mock)).found.numbers.length, IMPORT_NUMBERS_MAX + 1);
    });

    it("obeys Retry-After, and continues after a failure in the middle", async (t) => {
      const mock = await subject.start(t, SMALL, 2);
      mock.fail(subject.secondPage, { status: 429, headers: { "retry-after": "0" } });
      mock.fail(subject.secondPage, { status: 503 });
      mock.fail(subject.secondPage, "cut");
      const { found } = await read(mock);
      assert.equal(found.numbers.length, 7);
    });

    it("gives up on a provider that limits, fails or sends invalid responses, with a reason", async (t) => {
      const mock = await subject.start(t, SMALL, 2);
      mock.fail(subject.secondPage, { status: 429, headers: { "retry-after": "0" } }, 4);
      await stopped(mock, "provider_limited");
      mock.fail(subject.secondPage, { status: 429, headers: { "retry-after": "3600" } });
      await stopped(mock, "provider_limited");
      mock.fail(subject.secondPage, { status: 200, body: "<html>Welcome</html>" });
      await stopped(mock, "provider_answer");
      mock.fail(subject.secondPage, { status: 200, body: "[]" });
      await stopped(mock, "provider_answer");
      mock.fail(subject.secondPage, { status: 200, body: '{"meta":{}}' });
      await stopped(mock, "provider_answer");
      mock.fail(subject.secondPage, {
        status: 302,
        headers: { location: "https://x.example.com" },
      });
      await stopped(mock, "provider_answer");
      await stopped(mock, "provider_refused", { secret: "wrong" });
    });
  });
}
