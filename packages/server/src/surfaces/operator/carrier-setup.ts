import {
  type CarrierPreset,
  Problem,
  type ProviderNumber,
  parseTextable,
} from "@longwave/contract";
import { accountOf, operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { environment } from "../../core/config/config.ts";
import { lockInstallation } from "../../core/installation.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import type { CarriersDeps } from "../../network/carriers/deps.ts";
import {
  type CarrierFields,
  callbackUrls,
  carriersPath,
  changeCarriers,
  type Environment,
  entryOf,
  type HttpConfig,
  PRESETS,
  type Preset,
  readCarriers,
  secretVariable,
} from "../../network/carriers/index.ts";
import { findLiveHolder, type NumberHandlersDeps, takeOver } from "../../network/numbers/index.ts";
import {
  type CarrierAccount,
  type HeldNumber,
  ImportStopped,
  openCarrierAccount,
  readsNumbers,
  setsCallbacks,
} from "../importer/index.ts";
import { withFileErrors } from "./carriers.ts";

type Deps = CarriersDeps & NumberHandlersDeps;
type Names =
  | "operator.carriers.presets"
  | "operator.carriers.create"
  | "operator.carriers.numbers"
  | "operator.carriers.takeNumbers"
  | "operator.carriers.setCallbacks";

/** All calls to a provider together, in real time. */
const PROVIDER_MS_MAX = 60_000;
/** Seconds between polls of an entry that polls because there is no public address. */
const POLL_SECONDS_DEFAULT = "15";

/** Setup of carriers with a preset: the entry, the numbers, and the URL at the provider. */
export const carrierSetupHandlers: HandlersOf<Names, Deps> = {
  "operator.carriers.presets": async ({ deps }) => ({
    status: 200,
    body: {
      object: "carrier_presets",
      public_url: deps.config.publicUrl,
      presets: [...PRESETS.values()].map(presentPreset),
    },
  }),

  "operator.carriers.create": async ({ deps, caller, ip, transact }, { body }) => {
    const { name, preset: type, fields, base_url, private_address } = body;
    const preset = PRESETS.get(type);
    if (!preset) {
      const message = `There is no preset ${type}. There are: ${[...PRESETS.keys()].join(", ")}.`;
      throw new Problem("invalid_request", message, { param: "preset" });
    }
    const { entry, secrets } = entryOf(preset, name, withPolling(deps.config, preset, fields));
    const address = {
      ...(base_url === undefined ? {} : { base_url }),
      ...(private_address === undefined ? {} : { private_address }),
    };
    requireFreeVariables(secrets);
    const added = { ...entry, ...address, numbers: [] };
    // The key is checked with the provider before anything is written: a wrong key leaves no entry behind.
    const config = await withFileErrors(async () =>
      carrierOf(added, { ...secrets, ...environment }),
    );
    await withAccount(deps, config, (account) => account.checkKey());
    const answer = await withFileErrors(() =>
      transact(async (tx) => {
        await tx.query(lockInstallation, []);
        await recordForInstallation(deps, tx, {
          action: "carrier.added",
          actor: operatorActor(caller),
          targetId: "installation",
          changes: { name, preset: type },
          ip,
        });
        await changeCarriers(deps.config, environment, (before) => {
          if (before.entries.some((one) => one["name"] === name)) {
            throw new Problem("already_exists", `The carriers file has ${name} already.`, {
              param: "name",
            });
          }
          return {
            entries: [...before.entries, added],
            secrets: { ...before.secrets, ...secrets },
          };
        });
        return {
          status: 201 as const,
          body: {
            object: "carrier_entry" as const,
            name,
            preset: type,
            file: carriersPath(deps.config),
            variables: Object.keys(secrets),
          },
        };
      }),
    );
    await withFileErrors(deps.reloadCarriers);
    return answer;
  },

  "operator.carriers.numbers": async ({ deps }, { params }) => {
    const config = presetCarrier(deps, params.name);
    const held = await withAccount(deps, config, (account) => account.listNumbers());
    const numbers = await Promise.all((held ?? []).map((one) => presentHeld(deps, one)));
    return {
      status: 200,
      body: { object: "provider_numbers", readable: held !== null, numbers },
    };
  },

  "operator.carriers.takeNumbers": async ({ deps, caller, ip, transact }, { params, body }) => {
    const { name } = presetCarrier(deps, params.name);
    const changer = { actor: operatorActor(caller), ip };
    const answer = await withFileErrors(() =>
      transact(async (tx) => {
        await tx.query(lockInstallation, []);
        const account = await accountOf(tx, body.account_id);
        const taken = [];
        for (const phone of [...new Set(body.phone_numbers)]) {
          const reference = body.reference ?? name;
          const input = { phone, carrier: name, reference, changer };
          taken.push(await takeOver(deps, tx, account, input));
        }
        const phones = taken.map(({ row }) => row.phone_number);
        await changeCarriers(deps.config, environment, (before) => ({
          ...before,
          entries: before.entries.map((entry) =>
            entry["name"] === name ? withNumbers(entry, phones) : entry,
          ),
        }));
        return {
          status: 200 as const,
          body: {
            object: "taken_numbers" as const,
            carrier: name,
            account_id: toApiId("account", account.id),
            numbers: taken.map(({ row, isNew }) => ({
              phone_number: row.phone_number,
              is_new: isNew,
              sender_state: row.sender_state,
            })),
          },
        };
      }),
    );
    await withFileErrors(deps.reloadCarriers);
    return answer;
  },

  "operator.carriers.setCallbacks": async ({ deps }, { params }) => {
    const config = presetCarrier(deps, params.name);
    const { publicUrl } = deps.config;
    const { inbound, receipts } = callbackUrls(config, publicUrl);
    const isSet =
      publicUrl !== null &&
      inbound !== null &&
      (await withAccount(deps, config, (account) => account.setWebhook({ inbound, receipts })));
    return {
      status: 200,
      body: {
        object: "carrier_callbacks",
        inbound,
        receipts,
        is_set: isSet === true,
        next: isSet === true ? null : nextStep(config, publicUrl),
      },
    };
  },
};

function nextStep({ preset, http }: HttpConfig, publicUrl: string | null): string | null {
  if (http.poll?.inbound) return null;
  if (publicUrl !== null) return PRESETS.get(preset ?? "")?.setup.callbacks ?? null;
  return "LONGWAVE_PUBLIC_URL is not set: a provider cannot call this server. Set it, and restart.";
}

/**
 * Polls the provider's lists where the provider cannot call the server. The preset decides which
 * lists there are.
 */
function withPolling(
  { publicUrl }: Deps["config"],
  { options }: Preset,
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (publicUrl !== null || !("poll_seconds" in options)) return fields;
  return { poll_seconds: POLL_SECONDS_DEFAULT, ...fields };
}

/** The new carrier as its entry declares it. */
function carrierOf(entry: CarrierFields, env: Environment): HttpConfig {
  const [config] = readCarriers({ carriers: [entry] }, env);
  if (config?.type !== "http") throw new Error("a preset declares an HTTP carrier");
  return config;
}

function presentPreset({ type, title, baseUrl, options, setup }: Preset): CarrierPreset {
  const fields = Object.entries(options).map(([field, option]) => {
    const isSecret = field.endsWith("_env");
    const name = field.replace(/_env$/, "");
    return {
      name,
      about: option.about.replace(/^Variable with (?:the )?(.)/, (_, first: string) =>
        first.toUpperCase(),
      ),
      is_required: option.isRequired === true,
      is_secret: isSecret,
      variable: isSecret ? secretVariable(type, name) : null,
      default: option.default ?? null,
    };
  });
  return {
    type,
    title,
    needs_base_url: baseUrl === null,
    fields,
    before: setup.credentials,
    after: setup.callbacks,
    reads_numbers: readsNumbers(type),
    sets_callbacks: setsCallbacks(type),
    can_poll: "poll_seconds" in options,
  };
}

/** The environment wins over the private file, so a variable of the environment cannot be used. */
function requireFreeVariables(secrets: Readonly<Record<string, string>>): void {
  const taken = Object.keys(secrets).find(
    (variable) =>
      environment[variable] !== undefined && environment[variable] !== secrets[variable],
  );
  if (taken === undefined) return;
  const message = `${taken} is set in the server's environment to another value. Use another name, or remove it there.`;
  throw new Problem("invalid_request", message, { param: "name" });
}

function withNumbers(entry: Readonly<Record<string, unknown>>, phones: readonly string[]) {
  const { numbers = "*" } = entry;
  if (!Array.isArray(numbers)) return entry;
  return { ...entry, numbers: [...new Set([...(numbers as string[]), ...phones])] };
}

/** The carrier with this name, if a preset declares it. */
function presetCarrier({ carriers }: CarriersDeps, name: string): HttpConfig {
  const config = carriers.links().find((link) => link.config.name === name)?.config;
  if (config?.type === "http" && config.preset !== null) return config;
  const why = config ? "is not of a preset" : "does not exist";
  throw new Problem("not_found", `The carrier ${name.slice(0, 64)} ${why}.`);
}

/** Runs calls on the account behind a carrier; null where its provider has no API for it here. */
async function withAccount<T>(
  deps: Deps,
  config: HttpConfig,
  work: (account: CarrierAccount) => Promise<T>,
): Promise<T | null> {
  const account = openCarrierAccount(deps, config, AbortSignal.timeout(PROVIDER_MS_MAX));
  if (account === null) return null;
  try {
    return await work(account);
  } catch (error) {
    throw problemOf(config, error);
  } finally {
    await account.close();
  }
}

/** Refusal for what went wrong at the provider; other errors stay as they are. */
function problemOf({ name }: HttpConfig, error: unknown): unknown {
  if (error instanceof Error && error.name === "TimeoutError") {
    return new Problem("unavailable", `${name} does not answer. Try again later.`);
  }
  if (!(error instanceof ImportStopped)) return error;
  const isOurs = error.code === "provider_refused" || error.code === "provider_answer";
  return new Problem(isOurs ? "invalid_request" : "unavailable", error.message);
}

async function presentHeld(
  deps: Deps,
  { phone, country, sms }: HeldNumber,
): Promise<ProviderNumber> {
  const parsed = parseTextable(phone, { extraRegions: new Set(deps.config.extraRegions) });
  const holder = parsed.ok ? await findLiveHolder(deps.db, parsed.e164) : null;
  const reason = whyNot(parsed, sms, holder !== null);
  return {
    phone_number: phone,
    country,
    account_id: holder === null ? null : toApiId("account", holder),
    can_be_taken: reason === null,
    reason,
  };
}

function whyNot(
  parsed: ReturnType<typeof parseTextable>,
  sms: boolean,
  isHeld: boolean,
): string | null {
  if (!parsed.ok) return parsed.reason;
  if (!sms) return "It takes no messages at the provider.";
  return isHeld ? "An account here holds it already." : null;
}
