/** Reminds people a day before their appointment. They reply C to confirm, X to cancel. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConflictError, type WebhookEvent } from "@longwave/sdk";
import { client, OUR_NUMBER, PORT } from "../client.ts";
import { escaped, page } from "../page.ts";

interface Appointment {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly at: Date;
  state: "reminder planned" | "confirmed" | "canceled";
}

const DAY_MS = 86_400_000;
/** Maximum scheduling horizon; a real program schedules again every day. */
const AHEAD_MS_MAX = 30 * DAY_MS;

const longwave = client();

/** Sample data; a real program reads its calendar. */
function calendar(): Appointment[] {
  const inTwoDays = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 2 * DAY_MS);
  return [
    { id: "1001", name: "Ada", phone: "+15005550000", at: inTwoDays, state: "reminder planned" },
    { id: "1002", name: "Grace", phone: "+15005550014", at: inTwoDays, state: "reminder planned" },
  ];
}

const appointments = calendar();

async function plan({ id, name, phone, at }: Appointment): Promise<void> {
  const remindAt = new Date(at.getTime() - DAY_MS);
  if (remindAt.getTime() - Date.now() > AHEAD_MS_MAX) return;
  const time = at.toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" });
  try {
    await longwave.messages.send(
      {
        from: OUR_NUMBER,
        to: phone,
        body: `Hi ${name}, see you tomorrow at ${time}. Answer C to confirm, X to cancel.`,
        scheduled_at: remindAt.toISOString(),
      },
      // Makes scheduling idempotent, for example after a restart.
      { idempotencyKey: `reminder-${id}-${remindAt.toISOString()}` },
    );
  } catch (error) {
    // The reminder was scheduled before with another body: keep it.
    if (!(error instanceof ConflictError)) throw error;
  }
}

async function handleEvent(event: WebhookEvent): Promise<void> {
  if (event.type !== "message.received") return;
  const appointment = appointments.find(({ phone }) => phone === event.data.from);
  if (!appointment) return;
  const answer = event.data.body.trim().toUpperCase();
  if (answer !== "C" && answer !== "X") return;
  appointment.state = answer === "C" ? "confirmed" : "canceled";
  const body =
    answer === "C"
      ? "Thank you, see you tomorrow."
      : "Your appointment is canceled. Call us for another one.";
  const options = { idempotencyKey: `answer-${event.id}` };
  await longwave.messages.send({ from: event.data.to, to: event.data.from, body }, options);
}

for (const appointment of appointments) await plan(appointment);

function appointmentsPage(): string {
  const rows = appointments.map(
    ({ name, phone, at, state }) =>
      `<tr><td>${escaped(name)}</td><td>${escaped(phone)}</td><td>${at.toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" })}</td><td>${state}</td></tr>`,
  );
  const table = `<table><tr><th>Who</th><th>Phone</th><th>When</th><th>State</th></tr>${rows.join("")}</table>`;
  const play = `<p>The reminders leave a day before. Answer for ${escaped(appointments[0]?.name ?? "")}: <code>./longwave inbound C</code> confirms, <code>./longwave inbound X</code> cancels.</p>`;
  return page(
    "Appointments",
    `${table}${play}<script>setTimeout(() => location.reload(), 2000);</script>`,
  );
}

const server = createServer((request, response) => {
  const isData = request.url === "/appointments";
  response.setHeader("content-type", isData ? "application/json" : "text/html; charset=utf-8");
  response.end(isData ? JSON.stringify(appointments) : appointmentsPage());
});
server.listen(PORT, "127.0.0.1", () => {
  console.log(`Open http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
for await (const event of longwave.events.listen()) await handleEvent(event);
