import assert from "node:assert/strict";
import test from "node:test";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeSocket } from "../testing/fake-socket.ts";
import {
  type Delivery,
  type Outcome,
  SESSION_TIMES,
  Session,
  type SessionOptions,
  type SessionState,
  TRANSITIONS,
} from "./index.ts";

interface Stage {
  readonly clock: FakeClock;
  readonly socket: FakeSocket;
  readonly session: Session;
  readonly states: SessionState[];
  reason(): string | null;
}

function open(changes: Partial<SessionOptions> = {}): Stage {
  const clock = new FakeClock();
  const socket = new FakeSocket();
  const states: SessionState[] = [];
  let why: string | null = null;
  const session = new Session({
    socket,
    readyEvent: "connect",
    clock,
    times: SESSION_TIMES,
    bind: {
      mode: "transceiver",
      systemId: "us",
      password: "secret",
      systemType: "",
      interfaceVersion: 0x34,
    },
    windowMax: 3,
    deliveriesMax: 2,
    onDelivery: async () => 0,
    onState: (state, reason) => {
      states.push(state);
      why = reason;
    },
    onSlotFree: () => {},
    ...changes,
  });
  return { clock, socket, session, states, reason: () => why };
}

async function bound(changes: Partial<SessionOptions> = {}): Promise<Stage> {
  const stage = open(changes);
  stage.socket.emit("connect");
  await settle();
  const [bind] = stage.socket.sent;
  assert.equal(bind?.command, "bind_transceiver");
  stage.socket.receive({ command: "bind_transceiver_resp", sequence: bind.sequence });
  await settle();
  assert.equal(stage.session.state, "bound");
  return stage;
}

function watch(outcome: Promise<Outcome>): { outcome: Outcome | null } {
  const seen: { outcome: Outcome | null } = { outcome: null };
  void outcome.then((value) => {
    seen.outcome = value;
  });
  return seen;
}

async function submit(stage: Stage, text = "hello") {
  const seen = watch(stage.session.submit({ short_message: Buffer.from(text) }));
  await settle();
  return { seen, sequence: stage.socket.named("submit_sm").at(-1)?.sequence ?? 0 };
}

test("every state can end, and only by transitions of the table", () => {
  for (const [state, moves] of Object.entries(TRANSITIONS)) {
    if (state === "closed") assert.deepEqual(moves, {});
    else assert.equal(moves.socket_closed?.to, "closed", state);
  }
});

test("the session binds with its options, and reports being bound", async () => {
  const { socket, states } = await bound();
  const [bind] = socket.sent;
  assert.deepEqual(
    { ...bind?.fields },
    {
      system_id: "us",
      password: "secret",
      system_type: "",
      interface_version: 0x34,
      addr_ton: 0,
      addr_npi: 0,
      address_range: "",
    },
  );
  assert.deepEqual(states, ["binding", "bound"]);
});

test("a refused bind closes and reports why; a bind without response times out", async () => {
  const refused = open();
  refused.socket.emit("connect");
  await settle();
  refused.socket.receive({ command: "bind_transceiver_resp", sequence: 1, status: 0x0e });
  await settle();
  assert.equal(refused.session.state, "closed");
  assert.match(refused.reason() ?? "", /ESME_RINVPASWD \(the password is wrong\)/);
  const slow = open();
  slow.socket.emit("connect");
  await slow.clock.pass(SESSION_TIMES.bindMs - 1);
  assert.equal(slow.session.state, "binding");
  await slow.clock.pass(2);
  assert.equal(slow.session.state, "closed");
  assert.ok(slow.socket.isDestroyed);
  const never = open();
  await never.clock.pass(SESSION_TIMES.connectMs + 1);
  assert.equal(never.session.state, "closed");
});

test("responses may come in any order, and settle their own request", async () => {
  const stage = await bound();
  const first = await submit(stage);
  const second = await submit(stage);
  stage.socket.receive({
    command: "submit_sm_resp",
    sequence: second.sequence,
    fields: { message_id: "b" },
  });
  stage.socket.receive({ command: "submit_sm_resp", sequence: first.sequence, status: 0x58 });
  await settle();
  assert.equal(second.seen.outcome?.kind === "answered" && second.seen.outcome.messageId, "b");
  assert.equal(first.seen.outcome?.kind === "answered" && first.seen.outcome.status, 0x58);
  // A response to no request, or of the wrong kind, changes nothing.
  const third = await submit(stage);
  stage.socket.receive({ command: "submit_sm_resp", sequence: 999 });
  stage.socket.receive({ command: "enquire_link_resp", sequence: third.sequence });
  await settle();
  assert.equal(third.seen.outcome, null);
  stage.socket.receive({ command: "generic_nack", sequence: third.sequence });
  await settle();
  const nacked = third.seen.outcome as Outcome | null;
  assert.ok(nacked?.kind === "answered" && nacked.status !== 0, "a nack never accepts");
});

test("unanswered submits never exceed the window", async () => {
  const stage = await bound();
  const out = [await submit(stage), await submit(stage), await submit(stage)];
  assert.equal(stage.session.canSubmit, false);
  const fourth = await submit(stage);
  assert.equal(fourth.seen.outcome?.kind, "not_sent");
  assert.equal(stage.socket.named("submit_sm").length, 3);
  stage.socket.receive({ command: "submit_sm_resp", sequence: out[1]?.sequence ?? 0 });
  await settle();
  assert.equal(stage.session.canSubmit, true);
});

test("an unanswered submit is unknown, keeps its slot, and reports its late response", async () => {
  const stage = await bound({ windowMax: 1 });
  const { seen, sequence } = await submit(stage);
  for (let passed = 0; passed < SESSION_TIMES.answerMs; passed += 20_000) {
    assert.equal(seen.outcome, null);
    // The peer is alive, only slow.
    stage.socket.receive({ command: "enquire_link", sequence: 1 });
    await stage.clock.pass(20_000);
  }
  const outcome = seen.outcome as Outcome | null;
  assert.equal(outcome?.kind, "unknown");
  assert.equal(stage.session.canSubmit, false, "for the peer it is still out");
  stage.socket.receive({ command: "submit_sm_resp", sequence, fields: { message_id: "late" } });
  await settle();
  assert.equal(outcome?.kind === "unknown" && (await outcome.late)?.messageId, "late");
  assert.equal(stage.session.canSubmit, true);
});

test("a lost response frees its slot in the end, while the peer answers others", async () => {
  const stage = await bound({ windowMax: 2 });
  const lost = await submit(stage);
  for (let second = 0; second < 121; second += 20) {
    stage.socket.receive({ command: "enquire_link", sequence: 1 });
    await stage.clock.pass(20_000);
  }
  assert.equal(stage.session.state, "bound");
  assert.equal(stage.session.windowUsed, 0);
  assert.ok(lost.seen.outcome?.kind === "unknown" && (await lost.seen.outcome.late) === null);
});

test("a window without any response ends the session", async () => {
  const stage = await bound({ windowMax: 2 });
  const stuck = [await submit(stage), await submit(stage)];
  for (let second = 0; second < 121; second += 20) {
    stage.socket.receive({ command: "enquire_link", sequence: 1 });
    await stage.clock.pass(20_000);
  }
  assert.equal(stage.socket.named("unbind").length, 1);
  await stage.clock.pass(SESSION_TIMES.unbindMs + 1);
  assert.equal(stage.session.state, "closed");
  for (const { seen } of stuck) {
    assert.ok(seen.outcome?.kind === "unknown" && (await seen.outcome.late) === null);
  }
});

test("written submits are unknown after a broken connection, queued ones provably not sent", async () => {
  const stage = await bound();
  stage.socket.isStuck = true;
  const written = await submit(stage);
  const waiting = watch(stage.session.submit({ short_message: Buffer.from("waits") }));
  await settle();
  assert.equal(stage.socket.named("submit_sm").length, 1);
  stage.socket.emit("error", new Error("ECONNRESET"));
  stage.socket.emit("close");
  await settle();
  assert.equal(written.seen.outcome?.kind, "unknown");
  assert.equal(waiting.outcome?.kind, "not_sent");
  assert.match(stage.reason() ?? "", /ECONNRESET/);
  assert.equal(stage.clock.pending, 0, "no timer is left");
});

test("a silent peer gets enquire_link, and the session ends without a response", async () => {
  const stage = await bound();
  await stage.clock.pass(SESSION_TIMES.enquireLinkMs + 1);
  const [asked] = stage.socket.named("enquire_link");
  assert.ok(asked);
  stage.socket.receive({ command: "enquire_link_resp", sequence: asked.sequence });
  await stage.clock.pass(SESSION_TIMES.enquireLinkMs + SESSION_TIMES.enquireAnswerMs - 2);
  assert.equal(stage.session.state, "bound");
  assert.equal(stage.socket.named("enquire_link").length, 2);
  await stage.clock.pass(SESSION_TIMES.enquireAnswerMs + 2);
  assert.equal(stage.session.state, "closed");
  assert.match(stage.reason() ?? "", /enquire_link/);
});

test("an active peer gets no enquire_link", async () => {
  const stage = await bound();
  for (let i = 0; i < 10; i++) {
    stage.socket.receive({ command: "enquire_link", sequence: i });
    await stage.clock.pass(SESSION_TIMES.enquireLinkMs - 1_000);
  }
  assert.equal(stage.socket.named("enquire_link").length, 0);
  assert.equal(stage.socket.named("enquire_link_resp").length, 10);
  assert.equal(
    stage.socket.named("enquire_link_resp")[0]?.sequence,
    0,
    "a sequence of 0 is answered too",
  );
});

test("a delivery is answered once stored, refused on failure, and never above the limit", async () => {
  const stored: ((status: number) => void)[] = [];
  const failed: (() => void)[] = [];
  const stage = await bound({
    onDelivery: (_pdu: Delivery) =>
      new Promise((resolve, reject) => {
        stored.push(resolve);
        failed.push(() => reject(new Error("no disk")));
      }),
  });
  const answers = () => stage.socket.named("deliver_sm_resp");
  for (const sequence of [11, 12, 13]) stage.socket.receive({ command: "deliver_sm", sequence });
  await settle();
  assert.deepEqual(
    answers().map((pdu) => [pdu.sequence, pdu.status]),
    [[13, 0x14]],
  );
  stored[0]?.(0);
  failed[1]?.();
  await settle();
  assert.deepEqual(
    answers().map((pdu) => [pdu.sequence, pdu.status]),
    [
      [13, 0x14],
      [11, 0],
      [12, 0x08],
    ],
  );
  // enquire_link during a delivery is answered at once.
  stage.socket.receive({ command: "deliver_sm", sequence: 14 });
  stage.socket.receive({ command: "enquire_link", sequence: 15 });
  await settle();
  assert.equal(stage.socket.named("enquire_link_resp").at(-1)?.sequence, 15);
});

test("leaving waits for the responses, then unbinds", async () => {
  const stage = await bound();
  const { seen, sequence } = await submit(stage);
  stage.session.leave("The test is over.");
  await settle();
  assert.equal(stage.session.state, "draining");
  assert.equal((await submit(stage)).seen.outcome?.kind, "not_sent");
  stage.socket.receive({ command: "submit_sm_resp", sequence });
  await settle();
  assert.equal(seen.outcome?.kind, "answered");
  const [unbind] = stage.socket.named("unbind");
  assert.ok(unbind);
  stage.socket.receive({ command: "unbind_resp", sequence: unbind.sequence });
  await settle();
  assert.equal(stage.session.state, "closed");
  assert.ok(stage.socket.isEnded);
});

test("leaving stops waiting at its time limit", async () => {
  const stage = await bound();
  const { seen } = await submit(stage);
  stage.session.leave("The test is over.");
  await stage.clock.pass(SESSION_TIMES.drainMs + SESSION_TIMES.unbindMs + 2);
  assert.equal(stage.session.state, "closed");
  assert.equal(seen.outcome?.kind, "unknown");
});

test("the peer's unbind is answered after the responses that it owes us", async () => {
  const stage = await bound();
  const { seen, sequence } = await submit(stage);
  stage.socket.receive({ command: "unbind", sequence: 40 });
  await settle();
  assert.equal(stage.session.state, "leaving");
  assert.equal(stage.session.canSubmit, false);
  stage.socket.receive({ command: "submit_sm_resp", sequence });
  await settle();
  assert.equal(seen.outcome?.kind, "answered");
  assert.equal(stage.socket.named("unbind_resp")[0]?.sequence, 40);
  assert.equal(stage.session.state, "closed");
});

test("lost framing reports and closes; an unknown or broken request is only refused", async () => {
  const stage = await bound();
  const unknown = Buffer.alloc(16);
  unknown.writeUInt32BE(16, 0);
  unknown.writeUInt32BE(0x21, 4);
  unknown.writeUInt32BE(5, 12);
  stage.socket.emit("data", unknown);
  const cut = Buffer.concat([unknown, Buffer.from([1])]);
  cut.writeUInt32BE(17, 0);
  cut.writeUInt32BE(0x05, 4);
  stage.socket.emit("data", cut);
  stage.socket.receive({ command: "submit_sm", sequence: 6 });
  await settle();
  const receipts = stage.socket.sent.slice(1).map((pdu) => [pdu.command, pdu.status]);
  assert.deepEqual(receipts, [
    ["generic_nack", 0x03],
    ["deliver_sm_resp", 0x02],
    ["submit_sm_resp", 0x04],
  ]);
  assert.equal(stage.session.state, "bound");
  stage.socket.emit("data", Buffer.from([0, 0, 0, 2, 0, 0]));
  await settle();
  assert.equal(stage.socket.named("generic_nack").at(-1)?.status, 0x02);
  assert.equal(stage.session.state, "closed");
  assert.match(stage.reason() ?? "", /2 octets/);
});

test("reading pauses for a peer that does not read its responses", async () => {
  const stage = await bound();
  stage.socket.isStuck = true;
  stage.socket.receive({ command: "enquire_link", sequence: 1 });
  await settle();
  for (let i = 0; i < 70_000; i++) stage.socket.receive({ command: "enquire_link", sequence: i });
  assert.equal(stage.socket.isPaused, true);
  stage.socket.unstick();
  await settle();
  assert.equal(stage.socket.isPaused, false);
});
