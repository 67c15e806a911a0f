import type { Base } from "../../../core/base.ts";
import type { Registry } from "./registry.ts";
import { createSimulatedRegistry } from "./simulated.ts";

/** Registries by their LONGWAVE_REGISTRY name, one line each. */
const REGISTRIES: Readonly<Record<"simulator", (base: Base) => Registry>> = {
  simulator: ({ clock }) => createSimulatedRegistry({ clock }),
};

/** Registry for live submissions; null where the operator decides. */
export function registryOf(base: Base): Registry | null {
  const { registry } = base.config;
  return registry === "operator" ? null : REGISTRIES[registry](base);
}
