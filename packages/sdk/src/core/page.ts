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
  readonly #read: (cursor: string | null) => Promise<Page<T>>;

  /** `read` asks for the page at a cursor, or for the first one. */
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

  /** The pages one by one. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#read(null);
    yield page;
    while (page.next_cursor !== null) {
      const cursor = page.next_cursor;
      page = await this.#read(cursor);
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
}
