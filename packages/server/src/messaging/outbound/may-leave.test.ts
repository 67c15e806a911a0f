import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  assertFailed,
  assertHeldUntilUndone,
  assertNothingHeld,
  failuresTold,
  messagesOf,
  submits,
} from "../../../testing/assert-waiting-messages.ts";
import { money, useUpAllowance } from "../../../testing/live-batches.ts";
import {
  assignToNewCustomer,
  KINDS,
  type Kind,
  REASONS,
  textUs,
  waitingStages,
} from "../../../testing/waiting-messages.ts";

const stageOf = waitingStages();

describe("a message that waited is sent only if it may be", () => {
  const begin = async (isFree: boolean) => {
    const stage = await stageOf();
    if (!isFree) await useUpAllowance(stage.kit);
    const before = await money(stage.kit);
    return { stage, before };
  };

  for (const kind of KINDS) {
    it(`${kind.name}, nothing changed: it is sent`, async () => {
      const { stage } = await begin(false);
      await kind.wait(stage);
      const waited = submits(stage);
      await stage.kit.advance(kind.dueSeconds);
      assert.equal(submits(stage), waited + 1);
      assert.equal((await messagesOf(stage)).at(-1)?.status, "sent");
      assert.deepEqual(await failuresTold(stage), []);
      await money(stage.kit);
    });

    for (const reason of REASONS) {
      if (kind.of === "service_code" && !reason.concernsServiceCodes) continue;
      if (kind.of === "code" && reason.sparesCodes) continue;
      for (const isFree of kind.isReserved ? [true, false] : [false]) {
        const price = kind.isReserved ? (isFree ? ", free" : ", paid") : "";
        it(`${kind.name}${price}, ${reason.name}: it is not sent`, async () => {
          const { stage, before } = await begin(isFree);
          await kind.wait(stage);
          const waited = submits(stage);
          await reason.happen(stage, kind);
          await stage.kit.advance(2 * kind.dueSeconds);
          assert.equal(submits(stage), waited, "no carrier was given it");
          if (reason.undo && kind.of?.startsWith("batch")) {
            await assertHeldUntilUndone(stage, reason, waited);
          } else {
            await assertFailed(stage, kind, reason.failure);
            await assertNothingHeld(stage, before);
          }
        });
      }
    }
  }
});

describe("a number assigned to another customer while a message waited", () => {
  const ASSIGNED: readonly Kind[] = KINDS.filter(
    ({ of, name }) => of !== "service_code" && of !== "occurrence" && !name.startsWith("a step"),
  );

  for (const kind of ASSIGNED) {
    it(`${kind.name}: the number is another customer's now`, async () => {
      const stage = await stageOf();
      const before = await money(stage.kit);
      await assignToNewCustomer(stage, "First");
      await kind.wait(stage);
      const waited = submits(stage);
      await assignToNewCustomer(stage, "Second");
      await stage.kit.advance(kind.dueSeconds);
      assert.equal(submits(stage), waited);
      await assertFailed(stage, kind, "sender_unavailable");
      await assertNothingHeld(stage, before);
    });

    for (const first of ["First", null]) {
      const from = first === null ? "nobody" : "another customer";
      it(`${kind.name}: STOP to the number after it came from ${from}`, async () => {
        const stage = await stageOf();
        const before = await money(stage.kit);
        if (first !== null) await assignToNewCustomer(stage, first);
        await kind.wait(stage);
        const waited = submits(stage);
        await assignToNewCustomer(stage, "Second");
        await textUs(stage, stage.from, "STOP");
        await stage.kit.advance(kind.dueSeconds);
        assert.equal(submits(stage), waited);
        await assertFailed(stage, kind, "recipient_opted_out");
        await assertNothingHeld(stage, before);
      });
    }

    it(`${kind.name}: an unassigned number that a customer got still sends`, async () => {
      const stage = await stageOf();
      await kind.wait(stage);
      const waited = submits(stage);
      await assignToNewCustomer(stage, "Second");
      await stage.kit.advance(kind.dueSeconds);
      assert.equal(submits(stage), waited + 1);
      assert.equal((await messagesOf(stage)).at(-1)?.status, "sent");
    });
  }
});
