import type { Plugin } from "vite";

const HOME = "/src/pages/home/home-page.tsx";

/**
 * Tells the page which files the first page of an account is made of, so that `boot.js` can ask for them at once: the
 * program that would is on its way itself.
 */
export function nameHome(): Plugin {
  return {
    name: "name-home",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle, chunk: entry }) {
        if (!bundle || !entry) return [];
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const home = chunks.find((chunk) => chunk.facadeModuleId?.endsWith(HOME));
        if (!home) throw new Error(`${HOME} is in no file of its own.`);
        const isThere = new Set([entry.fileName, ...entry.imports]);
        const files = [home.fileName, ...home.imports].filter((name) => !isThere.has(name));
        const content = files.map((name) => `/${name}`).join(" ");
        return [
          { tag: "meta", attrs: { name: "longwave-home", content }, injectTo: "head-prepend" },
        ];
      },
    },
  };
}
