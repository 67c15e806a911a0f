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
  /** Filing that is approved; `letSuspend` and `letReinstate` then act on it as a carrier would. */
  suspendable(): Filing;
  letSuspend(reference: string): Promise<void>;
  letReinstate(reference: string): Promise<void>;
  /** Registries with brands: how many they have. */
  countBrands?(): Promise<number>;
  /** Registries that tell the state of a link: removes a number as a carrier would. */
  letRemove?(phone: string): Promise<void>;
}

const ANSWER_MS_MAX = 5_000;
const NEVER = new AbortController().signal;
const PHONE = "+12065552000";
/** Calls that a registry may need until it has filed or linked: brands and numbers are checked in the background. */
const CALLS_MAX = 5;

/** Conformance suite of registries: promises to filed registrations. */
export function testRegistry(name: string, makePeer: () => Promise<RegistryPeer>): void {
  describe(`registry ${name}`, () => {
    const filed = async ({ registry }: RegistryPeer, filing: Filing): Promise<string> => {
      const answer = await decided(() => registry.file(filing, NEVER));
      assert.ok(answer.kind === "filed", JSON.stringify(answer));
      return answer.reference;
    };
    const linked = async ({ registry }: RegistryPeer, reference: string) => {
      const answer = await decided(() => registry.link(reference, PHONE, NEVER));
      assert.deepEqual(answer, { kind: "linked" });
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
        assert.equal((await peer.registry.review(reference, NEVER)).kind, "approved");
    });

    it("rejects with a code of the table", async () => {
      const peer = await makePeer();
      const filing = peer.rejectable();
      const answer = await decided(() => peer.registry.file(filing, NEVER));
      await peer.letDecide();
      const review =
        answer.kind === "filed" ? await peer.registry.review(answer.reference, NEVER) : answer;
      assert.ok(review.kind === "rejected", JSON.stringify(review));
      assert.ok(isRegistrationCode(review.code), review.code);
    });

    it("links and unlinks a number idempotently", async () => {
      const peer = await makePeer();
      const reference = await filed(peer, peer.approvable());
      await peer.letDecide();
      for (let times = 0; times < 2; times += 1) await linked(peer, reference);
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(await peer.registry.unlink(reference, PHONE, NEVER), { kind: "unlinked" });
    });

    it("moves a number to another filing, whose link the former one does not end", async () => {
      const peer = await makePeer();
      const [before, after] = [
        await filed(peer, peer.approvable()),
        await filed(peer, peer.approvable()),
      ];
      await peer.letDecide();
      await linked(peer, before);
      await linked(peer, after);
      assert.deepEqual(await peer.registry.unlink(before, PHONE, NEVER), { kind: "unlinked" });
      await linked(peer, after);
    });

    it("reports a suspension after the approval, and its end", async () => {
      const peer = await makePeer();
      const reference = await filed(peer, peer.suspendable());
      await peer.letDecide();
      const kind = async () => (await peer.registry.review(reference, NEVER)).kind;
      assert.equal(await kind(), "approved");
      await peer.letSuspend(reference);
      assert.equal(await kind(), "suspended");
      await peer.letReinstate(reference);
      assert.equal(await kind(), "approved");
    });

    it("registers a business once, whatever it files", async () => {
      const peer = await makePeer();
      await filed(peer, peer.approvable());
      const brands = await peer.countBrands?.();
      await filed(peer, peer.approvable());
      assert.equal(await peer.countBrands?.(), brands);
    });

    it("reports a number that a carrier removed", async () => {
      const peer = await makePeer();
      const { registry } = peer;
      assert.equal(registry.linkState === undefined, peer.letRemove === undefined);
      if (registry.linkState === undefined) return;
      const reference = await filed(peer, peer.approvable());
      await peer.letDecide();
      await linked(peer, reference);
      assert.deepEqual(await registry.linkState(reference, PHONE, NEVER), { kind: "linked" });
      await peer.letRemove?.(PHONE);
      const state = await registry.linkState(reference, PHONE, NEVER);
      assert.ok(state.kind === "refused" && /\.$/.test(state.reason), JSON.stringify(state));
    });

    it("files the kinds that it names, and finds no filing in other notifications", async () => {
      const { registry } = await makePeer();
      assert.ok(registry.kinds.length > 0);
      for (const other of [null, {}, [], "text", { data: null }, { data: { payload: 7 } }])
        assert.deepEqual((await registry.referencesIn?.(other, NEVER)) ?? [], []);
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

/** Repeats a call while the registry works on it in the background. */
async function decided<T extends { readonly kind: string }>(call: () => Promise<T>): Promise<T> {
  let answer = await call();
  const isOpen = ({ kind }: T) => kind === "unavailable" || kind === "pending";
  for (let calls = 1; calls < CALLS_MAX && isOpen(answer); calls += 1) {
    answer = await call();
  }
  return answer;
}
