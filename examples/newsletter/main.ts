/** Sends one issue of a newsletter to the readers in California who subscribe to it. */
import { setTimeout as sleep } from "node:timers/promises";
import { client, OUR_NUMBER } from "../client.ts";

const TOPIC = "Weekly offers";
const SEGMENT = "Readers in California";
const WAIT_MS = 200;
const WAITS_MAX = 300;

/** Readers from a sign-up form, with time and source of their consent. */
const READERS = [
  { phone_number: "+15005550000", name: "Ada Lovelace", state: "CA", subscribed: true },
  { phone_number: "+15005550011", name: "Grace Hopper", state: "CA", subscribed: true },
  { phone_number: "+15005550012", name: "Alan Turing", state: "CA", subscribed: false },
  { phone_number: "+15005550013", name: "Mary Shelley", state: "NY", subscribed: true },
];

const longwave = client();

async function topicId(): Promise<string> {
  for await (const topic of longwave.topics.list()) if (topic.name === TOPIC) return topic.id;
  return (await longwave.topics.create({ name: TOPIC, default: "unsubscribed" })).id;
}

async function segmentId(): Promise<string> {
  for await (const one of longwave.segments.list()) if (one.name === SEGMENT) return one.id;
  const made = await longwave.segments.create({
    name: SEGMENT,
    filter: { all: [{ field: "attributes.state", op: "is", value: "CA" }] },
  });
  return made.id;
}

const topic = await topicId();
const segment = await segmentId();
await longwave.contacts.import({
  name: "Sign-ups",
  contacts: READERS.map(({ phone_number, name, state }) => ({
    phone_number,
    name,
    attributes: { state },
    opt_in: { status: true, source: "sign-up form" },
  })),
});
for (const { phone_number, subscribed } of READERS) {
  await longwave.topics.subscribe(topic, { phone_number, subscribed });
}

const issue = {
  name: `Issue of ${new Date().toISOString().slice(0, 10)}`,
  from: OUR_NUMBER,
  body: "Hi {{first_name|there}}, this week: pumpkins, two for one. Answer STOP to hear no more.",
  segment_id: segment,
  topic_id: topic,
};
const checked = await longwave.batches.create({ ...issue, dry_run: true });
console.log(`${checked.valid} readers, USD ${checked.estimated_cost_usd}`);
for (const { to, body } of checked.preview) console.log(`  ${to}: ${body}`);

const made = await longwave.batches.create(issue);
let batch = await longwave.batches.get(made.id);
for (let waits = 0; batch.status !== "complete" && waits < WAITS_MAX; waits++) {
  await sleep(WAIT_MS);
  batch = await longwave.batches.get(made.id);
}
console.log(`${batch.counts.sent} sent, ${batch.counts.failed} failed`);
