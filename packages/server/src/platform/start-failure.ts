/** What keeps the server from starting, in one line that a person can act on. */
export class StartFailure extends Error {
  override readonly name: string = "StartFailure";
}
