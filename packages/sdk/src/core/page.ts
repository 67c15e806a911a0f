/** One page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/**
 * A list. Await it for the first page, or iterate over all pages: `for await (const message of
 * client.messages.list())`. Sends no request before that.
 */
export class List<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #read: (cursor: string | null) => Promise<Page<T>>;

  /** `read` requests the page at a cursor, or the first one. */
  constructor(read: (cursor: string | null) => Promise<Page<T>>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#read(null).then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Iterates over pages. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#read(null);
    yield page;
    while (page.next_cursor !== null) {
      const cursor = page.next_cursor;
      page = await this.#read(cursor);
      yield page;
      // A cursor that repeats itself would loop forever.
      if (page.next_cursor === cursor) return;
    }
  }

  /** Returns the first `itemsMax` items. */
  async take(itemsMax: number): Promise<T[]> {
    const items: T[] = [];
    if (itemsMax < 1) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= itemsMax) break;
    }
    return items;
  }
}
