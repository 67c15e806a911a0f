import type { Work } from "./answer.ts";

/** One call with its own way of answering, beside the API's routes. */
export interface OwnWork {
  readonly method: string;
  readonly path: string;
  readonly work: Work;
}
