import type { Call, Transport } from "./request.ts";

/** One page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/**
 * A list. Await it for the first page, or walk all of it, page after page:
 * `for await (const message of client.messages.list())`. Nothing is asked before that.
 */
export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #call: Call;

  constructor(transport: Transport, call: Call) {
    this.#transport = transport;
    this.#call = call;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page(undefined).then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** The pages one by one. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#page(undefined);
    yield page;
    while (page.next_cursor !== null) {
      const cursor = page.next_cursor;
      page = await this.#page(cursor);
      yield page;
      // A cursor that leads to itself would never end.
      if (page.next_cursor === cursor) return;
    }
  }

  /** The first `itemsMax` items in one array. */
  async take(itemsMax: number): Promise<T[]> {
    const items: T[] = [];
    if (itemsMax < 1) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= itemsMax) break;
    }
    return items;
  }

  #page(cursor: string | undefined): Promise<Page<T>> {
    if (cursor === undefined) return this.#transport.json(this.#call);
    return this.#transport.json({ ...this.#call, query: { ...this.#call.query, cursor } });
  }
}
