import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  assertFailed,
  assertHeldUntilUndone,
  assertNothingHeld,
  failuresTold,
  messagesOf,
  submits,
} from "./assert-waiting-messages.ts";
import { money, useUpAllowance } from "./live-batches.ts";
import {
  assignToNewCustomer,
  KINDS,
  type Kind,
  REASONS,
  type Reason,
  textUs,
  waitingStages,
} from "./waiting-messages.ts";

/** Reasons for which a message of this kind must not be sent. */
function reasonsOf(kind: Kind): readonly Reason[] {
  if (kind.of === "service_code") return REASONS.filter((reason) => reason.concernsServiceCodes);
  return kind.of === "code" ? REASONS.filter((reason) => !reason.sparesCodes) : REASONS;
}

/** Kinds whose number can move to another customer while they wait. */
const ASSIGNED = KINDS.filter(
  ({ of, name }) => of !== "service_code" && of !== "occurrence" && !name.startsWith("a step"),
);

/** The cases to run: every kind with every reason, or one reason for each kind. */
interface Extent {
  readonly isWhole: boolean;
}

/**
 * Checks that a message which waited is sent only if it may be. Not whole, each kind meets one reason, so that every
 * kind and every reason is met, and one kind in three changes its number's customer.
 */
export function testMayLeave({ isWhole }: Extent): void {
  const stageOf = waitingStages();

  describe("a message that waited is sent only if it may be", () => {
    const begin = async (isFree: boolean) => {
      const stage = await stageOf();
      if (!isFree) await useUpAllowance(stage.kit);
      const before = await money(stage.kit);
      return { stage, before };
    };

    for (const [index, kind] of KINDS.entries()) {
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

      const reasons = reasonsOf(kind);
      const met = reasons.filter((_, at) => isWhole || at === index % reasons.length);
      for (const reason of met) {
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
    const assigned = ASSIGNED.filter((_, index) => isWhole || index % 3 === 0);
    for (const kind of assigned) {
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
}
