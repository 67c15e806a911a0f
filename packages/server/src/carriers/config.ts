import { readFile } from "node:fs/promises";

/** A mistake in the carriers file: one line that names the file, the place and what it takes. */
export class CarriersFileError extends Error {
  constructor(file: string, problem: string) {
    super(`LONGWAVE_CARRIERS: ${file}: ${problem}`);
    this.name = "CarriersFileError";
  }
}

export interface CarrierConfig {
  readonly name: string;
  readonly type: "simulator";
  /** The numbers it carries texts from, or every one. */
  readonly numbers: "*" | readonly string[];
  /** Smaller is tried first. */
  readonly priority: number;
  readonly window: number;
  readonly journal: string | null;
}

const CARRIERS_MAX = 50;
const WINDOW_DEFAULT = 1_000;
const WINDOW_MAX = 100_000;
const FIELDS = ["name", "type", "numbers", "priority", "window", "journal"];

export async function readCarriersFile(file: string | null): Promise<CarrierConfig[]> {
  if (file === null) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw unreadable(file, error as Error);
  }
  const list = (parsed as { carriers?: unknown } | null)?.carriers;
  if (!Array.isArray(list) || list.length > CARRIERS_MAX) {
    throw new CarriersFileError(
      file,
      `needs "carriers": a list of at most ${CARRIERS_MAX} entries.`,
    );
  }
  const carriers = list.map((entry, index) => carrierOf(file, entry, `carriers[${index}]`));
  const names = new Set(carriers.map((carrier) => carrier.name));
  if (names.size !== carriers.length)
    throw new CarriersFileError(file, "two carriers have one name.");
  return carriers.sort((a, b) => a.priority - b.priority);
}

function carrierOf(file: string, entry: unknown, place: string): CarrierConfig {
  const fail = (problem: string) => new CarriersFileError(file, `${place}${problem}`);
  if (typeof entry !== "object" || entry === null) throw fail(" must be an object.");
  const fields = entry as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => !FIELDS.includes(name));
  if (unknown) throw fail(`.${unknown} is not a known field.`);
  const {
    name,
    type,
    numbers = "*",
    priority = 10,
    window = WINDOW_DEFAULT,
    journal = null,
  } = fields;
  if (typeof name !== "string" || !/^[\w-]{1,40}$/.test(name)) {
    throw fail(".name takes 1 to 40 letters, digits, _ and -.");
  }
  if (type !== "simulator") throw fail('.type takes "simulator".');
  if (numbers !== "*" && !isNumberList(numbers)) {
    throw fail('.numbers takes "*" or a list of +1 numbers.');
  }
  if (!isWhole(priority, 0, 1_000)) throw fail(".priority takes a whole number from 0 to 1000.");
  if (!isWhole(window, 1, WINDOW_MAX))
    throw fail(`.window takes a whole number from 1 to ${WINDOW_MAX}.`);
  if (journal !== null && typeof journal !== "string")
    throw fail(".journal takes the path of a file.");
  return { name, type, numbers, priority, window, journal };
}

function isNumberList(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item === "string" && /^\+1\d{10}$/.test(item))
  );
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function unreadable(file: string, error: Error): CarriersFileError {
  return new CarriersFileError(file, `cannot be read as JSON: ${error.message}`);
}
