import type { Plugin } from "vite";

const HOME = "/src/pages/home/home-page.tsx";

/**
 * Lists the scripts of an account's first page in index.html. `boot.js` preloads them while the
 * program itself is still loading.
 */
export function listHomeChunks(): Plugin {
  return {
    name: "list-home-chunks",
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
