import type { Base } from "../../../core/base.ts";
import { callbackUrlOf } from "./callback-url.ts";
import type { Registry } from "./registry.ts";
import { createSimulatedRegistry } from "./simulated.ts";
import { createTelnyxRegistry } from "./telnyx/connector.ts";

type RegistryName = Exclude<Base["config"]["registry"], "operator">;

/** Registries by their LONGWAVE_REGISTRY name, one line each. */
const REGISTRIES: Readonly<Record<RegistryName, (base: Base) => Registry>> = {
  simulator: ({ clock }) => createSimulatedRegistry({ clock }),
  telnyx: (base) => telnyxOf(base),
};

/** Registry for live submissions; null where the operator decides. */
export function registryOf(base: Base): Registry | null {
  const { registry } = base.config;
  return registry === "operator" ? null : REGISTRIES[registry](base);
}

function telnyxOf(base: Base): Registry {
  const { registryKey: key, registryUrl: url } = base.config;
  if (key === null) throw new Error("LONGWAVE_REGISTRY=telnyx needs LONGWAVE_REGISTRY_KEY.");
  return createTelnyxRegistry({
    outgoing: base.outgoing,
    url,
    key,
    callbackUrl: callbackUrlOf(base),
  });
}
