/** Browser storage. It can be full or forbidden: reads then return null, and writes do nothing. */

export function readStored(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(`longwave.${name}`);
  } catch {
    return null;
  }
}

/** Clears `storage`, such as the drafts of a person who signs out. */
export function clearStored(storage: Storage): void {
  try {
    storage.clear();
  } catch {
    // Storage can be forbidden: nothing was stored then.
  }
}

export function writeStored(storage: Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage.removeItem(`longwave.${name}`);
    else storage.setItem(`longwave.${name}`, value);
  } catch {
    // A failed write must not stop the work.
  }
}
