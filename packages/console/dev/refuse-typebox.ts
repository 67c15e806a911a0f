import type { Plugin } from "vite";

/** Fails a build that bundles typebox: only servers need the schemas, so some import is wrong. */
export function refuseTypebox(): Plugin {
  return {
    name: "refuse-typebox",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const found = file.moduleIds.find((id) => id.includes("/node_modules/typebox/"));
        if (found === undefined) continue;
        this.error(
          `typebox is in ${file.fileName}. Import @longwave/contract/tables, not @longwave/contract.`,
        );
      }
    },
  };
}
