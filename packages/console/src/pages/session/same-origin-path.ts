/**
 * Prevents open redirects: only paths of this origin. Browsers drop tabs and line breaks from an
 * address, so `/<tab>/host` would be a host; control characters are refused.
 */
export function sameOriginPath(next: string | undefined): string {
  return next !== undefined && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : "/";
}
