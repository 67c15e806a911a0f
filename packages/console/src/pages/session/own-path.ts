/** Only paths of our own: an address of somebody else's must not be reached through us. */
export function ownPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}
