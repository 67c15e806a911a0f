import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRegistrationCode } from "@longwave/contract";
import type { Filing, Registry } from "../src/network/registrations/index.ts";

/** A registry under test, with controls. */
export interface RegistryPeer {
  readonly registry: Registry;
  /** Makes the registry decide everything filed so far. */
  letDecide(): Promise<void>;
  /** Filings that the registry approves or rejects; each call has a new key. */
  approvable(): Filing;
  rejectable(): Filing;
}

const ANSWER_MS_MAX = 5_000;
const NEVER = new AbortController().signal;
const PHONE = "+12065552000";

/** Conformance suite of registries: promises to filed registrations. */
export function testRegistry(name: string, makePeer: () => Promise<RegistryPeer>): void {
  describe(`registry ${name}`, () => {
    const filed = async ({ registry }: RegistryPeer, filing: Filing): Promise<string> => {
      const answer = await registry.file(filing, NEVER);
      assert.ok(answer.kind === "filed", JSON.stringify(answer));
      return answer.reference;
    };

    it("files once: the same key returns the same reference, another key another one", async () => {
      const peer = await makePeer();
      const filing = peer.approvable();
      const reference = await filed(peer, filing);
      assert.equal(await filed(peer, filing), reference);
      assert.notEqual(await filed(peer, peer.approvable()), reference);
      assert.ok(reference.length > 0 && reference.length <= 1_000);
    });

    it("reviews: undecided at first, then permanently approved", async () => {
      const peer = await makePeer();
      const reference = await filed(peer, peer.approvable());
      const first = await peer.registry.review(reference, NEVER);
      assert.ok(["waiting", "in_review"].includes(first.kind), JSON.stringify(first));
      await peer.letDecide();
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await peer.registry.review(reference, NEVER), { kind: "approved" });
    });

    it("rejects with a code of the table", async () => {
      const peer = await makePeer();
      const answer = await peer.registry.file(peer.rejectable(), NEVER);
      await peer.letDecide();
      const decided =
        answer.kind === "filed" ? await peer.registry.review(answer.reference, NEVER) : answer;
      assert.ok(decided.kind === "rejected", JSON.stringify(decided));
      assert.ok(isRegistrationCode(decided.code), decided.code);
    });

    it("links and unlinks a number idempotently", async () => {
      const peer = await makePeer();
      const reference = await filed(peer, peer.approvable());
      await peer.letDecide();
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await peer.registry.link(reference, PHONE, NEVER), { kind: "linked" });
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await peer.registry.unlink(reference, PHONE, NEVER), { kind: "unlinked" });
    });

    it("returns a result for unknown references and aborted calls, instead of throwing", async () => {
      const { registry, approvable } = await makePeer();
      const startedAt = performance.now();
      const unknown = await registry.review("no such reference", NEVER);
      assert.equal(unknown.kind, "unavailable");
      assert.notEqual((await registry.link("no such reference", PHONE, NEVER)).kind, "linked");
      const gone = AbortSignal.abort();
      assert.equal((await registry.file(approvable(), gone)).kind, "unavailable");
      const reason = unknown.kind === "unavailable" ? unknown.reason : "";
      assert.match(reason, /^[A-Z].*\.$/, "a reason is a sentence");
      assert.ok(performance.now() - startedAt < ANSWER_MS_MAX);
    });
  });
}
