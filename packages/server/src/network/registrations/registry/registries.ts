import type { Base } from "../../base.ts";
import type { Registry } from "./registry.ts";
import { createSimulatedRegistry } from "./simulated.ts";

/** Every registry by the name that LONGWAVE_REGISTRY takes, one line each. */
const REGISTRIES: Readonly<Record<"simulator", (base: Base) => Registry>> = {
  simulator: ({ clock }) => createSimulatedRegistry({ clock }),
};

/** The registry that live submissions are filed with; null where the operator decides alone. */
export function registryOf(base: Base): Registry | null {
  const { registry } = base.config;
  return registry === "operator" ? null : REGISTRIES[registry](base);
}
