/**
 * Response types that depend on a field of the body. Nothing here runs: `types.test.ts` compiles it
 * with `exactOptionalPropertyTypes`, like a strict program.
 */
import type {
  BatchValidation,
  ContactImport,
  ContactImportPreview,
  CreatedBatch,
  Longwave,
  Message,
  MessagePreview,
  MessagesSendBody,
  ScheduledMessage,
} from "../../src/index.ts";

type Same<A, B> = [A, B] extends [B, A] ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const NOW = { from: "+15005550100", to: "+15005550000", body: "Your table is ready." };

async function sends(lw: Longwave): Promise<void> {
  const sent = await lw.messages.send({ from: NOW.from, to: NOW.to, body: NOW.body });
  same<typeof sent, Message>(true);
  sent.id.toUpperCase();
  const fromVariable = await lw.messages.send(NOW);
  same<typeof fromVariable, Message>(true);
  const withOptions = await lw.messages.send(NOW, { idempotencyKey: "order-1" });
  same<typeof withOptions, Message>(true);

  const previewed = await lw.messages.send({ ...NOW, dry_run: true });
  same<typeof previewed, MessagePreview>(true);
  // @ts-expect-error A preview is not stored, so it has no id.
  void previewed.id;

  const later = await lw.messages.send({ ...NOW, scheduled_at: "2030-01-01T09:00:00Z" });
  same<typeof later, ScheduledMessage>(true);
  const atEpochMs = await lw.messages.send({ ...NOW, scheduled_at: 1_900_000_000_000 });
  same<typeof atEpochMs, ScheduledMessage>(true);
  // @ts-expect-error A scheduled message has not been sent.
  void later.sent_at;
  const laterPreviewed = await lw.messages.send({
    ...NOW,
    scheduled_at: "2030-01-01T09:00:00Z",
    dry_run: true,
  });
  same<typeof laterPreviewed, MessagePreview>(true);
}

async function leavesFieldsOut(lw: Longwave): Promise<void> {
  const absent = await lw.messages.send({ ...NOW, dry_run: undefined, scheduled_at: undefined });
  same<typeof absent, Message>(true);
  const empty = await lw.messages.send({ ...NOW, dry_run: null, scheduled_at: null });
  same<typeof empty, Message>(true);
  const off = await lw.messages.send({ ...NOW, dry_run: false });
  same<typeof off, Message>(true);
  const offLater = await lw.messages.send({ ...NOW, dry_run: false, scheduled_at: 1 });
  same<typeof offLater, ScheduledMessage>(true);
}

async function leavesItOpen(lw: Longwave, isDry: boolean, at?: string): Promise<void> {
  type Any = Message | MessagePreview | ScheduledMessage;
  const maybeDry = await lw.messages.send({ ...NOW, dry_run: isDry });
  same<typeof maybeDry, Any>(true);
  // @ts-expect-error It may be a preview.
  void maybeDry.id;
  if (maybeDry.object === "message") maybeDry.id.toUpperCase();
  const maybeLater = await lw.messages.send({ ...NOW, scheduled_at: at });
  same<typeof maybeLater, Any>(true);
  const body: MessagesSendBody = NOW;
  const ofAnyBody = await lw.messages.send(body);
  same<typeof ofAnyBody, Any>(true);
  same<Parameters<Longwave["messages"]["send"]>[0], MessagesSendBody>(true);
}

async function refuses(lw: Longwave): Promise<void> {
  // @ts-expect-error The recipient is missing.
  await lw.messages.send({ from: NOW.from, body: NOW.body });
  // @ts-expect-error No such field.
  await lw.messages.send({ ...NOW, dryRun: true });
  // @ts-expect-error A boolean, not a string.
  await lw.messages.send({ ...NOW, dry_run: "true" });
}

async function others(lw: Longwave): Promise<void> {
  const batch = { from: NOW.from, body: NOW.body, recipients: [{ to: NOW.to }] };
  const created = await lw.batches.create(batch);
  same<typeof created, CreatedBatch>(true);
  const createdLater = await lw.batches.create({ ...batch, scheduled_at: 1_900_000_000_000 });
  same<typeof createdLater, CreatedBatch>(true);
  const checked = await lw.batches.create({ ...batch, dry_run: true });
  same<typeof checked, BatchValidation>(true);
  // @ts-expect-error A dry run makes no batch.
  void checked.id;

  const rows = { contacts: [{ phone_number: NOW.to }] };
  const imported = await lw.contacts.import(rows);
  same<typeof imported, ContactImport>(true);
  const previewed = await lw.contacts.import({ ...rows, dry_run: true });
  same<typeof previewed, ContactImportPreview>(true);
  // @ts-expect-error A dry run begins no import, so it has no name.
  void previewed.name;
}

async function automates(lw: Longwave): Promise<void> {
  await lw.automations.create({
    name: "Welcome",
    trigger: { event: "signed_up" },
    steps: [{ type: "send", from: NOW.from, body: NOW.body }, { type: "exit" }],
  });
  // @ts-expect-error No such type of step.
  await lw.automations.create({ name: "x", trigger: { event: "x" }, steps: [{ type: "sleep" }] });
}

void [automates, sends, leavesFieldsOut, leavesItOpen, refuses, others];
