import {
  fromTwilioSid,
  TWILIO_PAGE_ITEMS_DEFAULT,
  TWILIO_PAGE_ITEMS_MAX,
  toTwilioSid,
} from "@longwave/contract";
import type { Form } from "./form.ts";
import { TwilioRefusal } from "./refusals.ts";

export const PAGE_PARAMETERS = ["PageSize", "Page", "PageToken"] as const;

/**
 * Requested page. Pages start below the previous page's last item, so a late page costs as much as the first.
 */
export interface TwilioPage {
  readonly size: number;
  readonly number: number;
  /** UUID of the previous page's last item; null on the first page. */
  readonly belowId: string | null;
}

interface PageAnswer {
  readonly [name: string]: unknown;
  readonly first_page_uri: string;
  readonly next_page_uri: string | null;
  readonly page: number;
  readonly page_size: number;
  readonly uri: string;
}

export function pageOf(form: Form): TwilioPage {
  const size = wholeOf(form, "PageSize", TWILIO_PAGE_ITEMS_DEFAULT);
  const number = wholeOf(form, "Page", 0);
  const token = form.get("PageToken");
  const belowId = token === undefined ? null : fromTwilioSid("page", token);
  if (token !== undefined && belowId === null) {
    throw new TwilioRefusal(20001, "PageToken is not one of ours. Start again without it.");
  }
  if (number > 0 && belowId === null) {
    throw new TwilioRefusal(20001, "Page needs the PageToken that came with next_page_uri.");
  }
  if (size < 1) throw new TwilioRefusal(20001, "PageSize must be at least 1.");
  return { size: Math.min(size, TWILIO_PAGE_ITEMS_MAX), number, belowId };
}

function wholeOf(form: Form, name: string, fallback: number): number {
  const text = form.get(name);
  if (text === undefined) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new TwilioRefusal(20001, `${name} must be a whole number.`);
  return Number(text);
}

/** A page in the format of the newer APIs, which name whole addresses on a host of their own. */
export function metaAnswer<Row>(host: string, name: string, ...rest: Rest<Row>) {
  const page = pageAnswer<Row>(name, ...rest);
  const whole = (uri: string | null) => (uri === null ? null : `https://${host}${uri}`);
  const meta = {
    first_page_url: whole(page.first_page_uri),
    key: name,
    next_page_url: whole(page.next_page_uri),
    page: page.page,
    page_size: page.page_size,
    previous_page_url: null,
    url: whole(page.uri),
  };
  return { [name]: page[name], meta };
}

type Rest<Row> = Parameters<typeof pageAnswer<Row>> extends [string, ...infer More] ? More : never;

/** A page in Twilio's list format. `rows` hold one more than the page when more follow. */
export function pageAnswer<Row>(
  name: string,
  path: string,
  form: Form,
  page: TwilioPage,
  rows: readonly Row[],
  idOf: (row: Row) => string,
  present: (row: Row) => object,
): PageAnswer {
  const shown = rows.slice(0, page.size);
  const last = shown.at(-1);
  const uriOf = (number: number, belowId: string | null) => {
    const query = new URLSearchParams(
      [...form].filter(([key]) => !PAGE_PARAMETERS.some((one) => one === key)),
    );
    query.set("PageSize", String(page.size));
    query.set("Page", String(number));
    if (belowId !== null) query.set("PageToken", toTwilioSid("page", belowId));
    return `${path}?${query}`;
  };
  const hasMore = rows.length > page.size && last !== undefined;
  return {
    [name]: shown.map(present),
    end: page.number * page.size + Math.max(0, shown.length - 1),
    first_page_uri: uriOf(0, null),
    next_page_uri: hasMore ? uriOf(page.number + 1, idOf(last)) : null,
    page: page.number,
    page_size: page.size,
    previous_page_uri: null,
    start: page.number * page.size,
    uri: uriOf(page.number, page.belowId),
  };
}
