const NAMES = ["apiKey", "operatorToken"];

/** The reader's keys, kept for this tab, and whoever shows them. */
export function createSettings(openapi) {
  const listeners = [];
  const values = Object.fromEntries(
    NAMES.map((name) => [name, sessionStorage.getItem(name) ?? ""]),
  );
  return {
    where: () => ({ ...values, origin: location.origin }),
    set(name, value) {
      values[name] = value;
      sessionStorage.setItem(name, value);
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.push(listener);
    },
    responseOf(response) {
      const name = response.$ref?.split("/").at(-1);
      return name === undefined ? response : openapi.components.responses[name];
    },
  };
}
