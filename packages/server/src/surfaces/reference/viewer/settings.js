const NAMES = ["apiKey", "operatorToken"];
/** Key of the chosen language of the samples in the browser's storage. */
const SAMPLE = "sample";

/** The reader's keys, kept for this tab, and the listeners that show them. */
export function createSettings(openapi) {
  const listeners = [];
  const values = Object.fromEntries(
    NAMES.map((name) => [name, sessionStorage.getItem(name) ?? ""]),
  );
  let sample = Number(localStorage.getItem(SAMPLE) ?? 0);
  const changed = () => {
    for (const listener of listeners) listener();
  };
  return {
    /** The chosen language, as an index of the samples. */
    sample: () => sample,
    setSample(index) {
      sample = index;
      localStorage.setItem(SAMPLE, String(index));
      changed();
    },
    where: () => ({ ...values, origin: location.origin }),
    set(name, value) {
      values[name] = value;
      sessionStorage.setItem(name, value);
      changed();
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
