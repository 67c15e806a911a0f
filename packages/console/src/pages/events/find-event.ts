import { type Event, type Longwave, NotFoundError } from "@longwave/sdk";
import { idTimeMs } from "./id-time.ts";

const AROUND_MS = 5_000;
const PAGES_MAX = 20;

/** Finds an event by id. The time in the id bounds the part of the log to read. */
export async function findEvent(api: Longwave, id: string, signal: AbortSignal): Promise<Event> {
  const at = idTimeMs(id);
  if (at !== null) {
    const query = {
      created_after: new Date(at - AROUND_MS).toISOString(),
      created_before: new Date(at + AROUND_MS).toISOString(),
      limit: 100,
    };
    let pages = 0;
    for await (const page of api.events.list(query, { signal }).pages()) {
      const found = page.data.find((event) => event.id === id);
      if (found) return found;
      pages += 1;
      if (pages >= PAGES_MAX) break;
    }
  }
  throw new NotFoundError({
    status: 404,
    headers: new Headers(),
    body: {
      error: { code: "not_found", message: "There is no such event, or it is older than 30 days." },
    },
  });
}
