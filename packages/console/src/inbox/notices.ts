import type { Event } from "@longwave/sdk";
import { onEvents } from "../live/bus.ts";
import { readStored, writeStored } from "../storage.ts";
import { formatPhone } from "../ui/format.ts";

/** Desktop notices of received messages, shown while no tab of the console is visible. */
const STORED_AS = "notices";
const BODY_CHARS_MAX = 120;

/** Whether notices are on; null where the browser has none, or its user forbade them. */
export function noticesState(): boolean | null {
  if (!("Notification" in globalThis) || Notification.permission === "denied") return null;
  return Notification.permission === "granted" && readStored(localStorage, STORED_AS) === "on";
}

/** Asks the browser's user for permission when notices are turned on. */
export async function setNotices(isOn: boolean): Promise<boolean | null> {
  if (isOn && Notification.permission !== "granted") await Notification.requestPermission();
  writeStored(localStorage, STORED_AS, isOn ? "on" : null);
  return noticesState();
}

/** Shows a notice per received message; `open` opens the sender's conversation. */
export function watchReceived(open: (phone: string) => void): () => void {
  return onEvents((events) => {
    if (!document.hidden || noticesState() !== true) return;
    for (const event of events) notify(event, open);
  });
}

function notify(event: Event, open: (phone: string) => void): void {
  if (event.type !== "message.received") return;
  const { from, body, message_id } = event.data;
  // Tabs share the tag, so the browser shows one notice however many tabs are open.
  const notice = new Notification(`Message from ${formatPhone(from)}`, {
    body: body.slice(0, BODY_CHARS_MAX),
    tag: message_id,
  });
  notice.onclick = () => {
    window.focus();
    notice.close();
    open(from);
  };
}
