import type { Page } from "playwright-core";
import { serveListener } from "../../../server/testing/sites/serve.ts";
import type { Stage } from "../stage.ts";

export interface Picture {
  readonly name: string;
  /** Path below the account and mode, or from the root. */
  readonly path: string;
  readonly theme: "light" | "dark";
  /** Actions on the page before the screenshot. */
  readonly before?: (page: Page) => Promise<void>;
}

const PEOPLE = [
  ["Ada Lovelace", "+14155550141", "Analytical Engines"],
  ["Grace Hopper", "+14155550142", "Compilers Inc."],
  ["Alan Turing", "+14155550143", "Bletchley Bakery"],
  ["Katherine Johnson", "+14155550144", "Orbit Travel"],
  ["Edsger Dijkstra", "+14155550145", "Shortest Path Couriers"],
] as const;

/** Messages per hour of the day: few at night, most before noon. */
const HOURS = [1, 1, 0, 0, 0, 2, 6, 14, 22, 26, 24, 20, 15, 18, 20, 17, 13, 9, 7, 5, 4, 3, 2, 2];
const HOUR_SECONDS = 3_600;

let answered = 0;
/** An endpoint that fails now and then. */
export const flakyEndpoint = await serveListener((_request, response) => {
  answered += 1;
  response
    .writeHead(answered % 9 === 0 ? 500 : 200)
    .end(answered % 9 === 0 ? "database is away" : "ok");
});

/** Simulates a dentist's day in the sandbox, and lists the pages that show it. */
export async function simulateDay({ kit }: Stage): Promise<readonly Picture[]> {
  const { api } = kit();
  await kit().rows("update accounts set name = 'Hillside Dental' where id = $1", [
    kit().account.id,
  ]);
  const { data: stock } = await api.numbers.available({ area_code: "415", limit: 1 });
  const bought = await api.numbers.create({ phone_number: stock[0]?.phone_number ?? "" });
  const sender = bought.phone_number;
  await api.webhooks.create({
    url: flakyEndpoint.url,
    events: ["message.delivered", "message.failed"],
  });
  for (const [name, phone_number, company] of PEOPLE) {
    await api.contacts.upsert({ name, phone_number, company, tags: ["patient"] } as never);
  }
  await api.spendLimit.update({ monthly_limit_usd: 50 } as never);
  const automation = await makeAutomation(api, sender);
  for (const texts of HOURS) {
    for (let text = 0; text < texts; text += 1) await api.messages.send(demoMessage(sender, text));
    await kit().advance(HOUR_SECONDS);
  }
  for (const [, phone_number] of PEOPLE) {
    await api.automations.track({ event: "appointment_booked", phone_number });
  }
  const recipients = Array.from({ length: 48 }, (_, at) => ({
    to: at % 20 === 7 ? "+15005550006" : `+1415${2_000_000 + at}`,
    variables: { first_name: "Ada" },
  }));
  const batch = await api.batches.create({
    from: sender,
    name: "Spring check-up",
    body: "Hi {{first_name}}, it is time for your check-up. Reply STOP to opt out.",
    recipients,
  } as never);
  await kit().advance(120);
  const patient = PEOPLE[1][1];
  await api.messages.send({
    from: sender,
    to: patient,
    body: "Hillside Dental: see you tomorrow at 2:30 PM. Reply C to confirm.",
  });
  await kit().advance(20);
  await api.test.inbound({ from: patient, to: sender, body: "C" });
  await api.messages.send({
    from: sender,
    to: patient,
    body: "Thank you, Grace! You are confirmed.",
  });
  await kit().advance(20);
  const retried = await api.messages.send({
    from: sender,
    to: "+15005550002",
    body: "Your crown is ready.",
  });
  await kit().advance(600);
  return [
    { name: "home", path: "", theme: "light" },
    {
      name: "phone",
      path: `phone?as=${encodeURIComponent(patient)}&to=${encodeURIComponent(sender)}`,
      theme: "light",
      before: async (page) => {
        await page.getByRole("button", { name: "HELP" }).click();
        await page.getByRole("button", { name: /message\.received$/ }).click();
        await page.getByText("Receiving number").waitFor();
        await page.locator(".attempt").first().waitFor();
      },
    },
    { name: "message", path: `messages/${idOf(retried)}`, theme: "dark" },
    { name: "batch", path: `batches/${idOf(batch)}`, theme: "light" },
    { name: "automation", path: `automations/${automation}`, theme: "dark" },
  ];
}

function idOf(made: object): string {
  return "id" in made ? String(made.id) : "";
}

/** A message. Most arrive; some fail with a carrier's reason. */
function demoMessage(from: string, at: number) {
  const [name, phone] = PEOPLE[at % PEOPLE.length] ?? PEOPLE[0];
  const failing = at % 13 === 12 ? "+15005550006" : at % 17 === 16 ? "+15005550008" : null;
  const body = `Hillside Dental: ${name.split(" ")[0]}, see you tomorrow at 2:30 PM. Reply C to confirm.`;
  return { from, to: failing ?? phone, body };
}

async function makeAutomation(api: ReturnType<Stage["kit"]>["api"], from: string): Promise<string> {
  const steps = [
    {
      type: "send",
      from,
      body: "Hillside Dental: your appointment is booked. Reply C to confirm.",
    },
    {
      type: "wait",
      until: { event: "confirmed", seconds: 172_800 },
      on_timeout: [{ type: "send", from, body: "Will you come? Reply C to confirm, or call us." }],
    },
    { type: "add_tags", tags: ["confirmed"] },
  ];
  const trigger = { event: "appointment_booked" };
  const made = await api.automations.create({
    name: "Appointment booked",
    trigger,
    steps,
  } as never);
  return made.id;
}
