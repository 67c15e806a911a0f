/** What a browser keeps for this reader. Storage can be full or forbidden: then nothing is kept. */

export function readStored(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(`longwave.${name}`);
  } catch {
    return null;
  }
}

export function writeStored(storage: Storage, name: string, value: string | null): void {
  try {
    if (value === null) storage.removeItem(`longwave.${name}`);
    else storage.setItem(`longwave.${name}`, value);
  } catch {
    // A form that cannot be kept is no reason to stop the work.
  }
}
