import type { Transport } from "./request.ts";

/** What every group of calls has: the way out. */
export class Calls {
  protected readonly api: Transport;

  constructor(api: Transport) {
    this.api = api;
  }
}
