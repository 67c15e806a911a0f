import { defineConfig } from "vite";
import { nameHome } from "./dev/name-home.ts";
import { refuseTypebox } from "./dev/refuse-typebox.ts";
import { devServer } from "./dev/server-proxy.ts";

const UNHELPFUL = new Set(["MODULE_LEVEL_DIRECTIVE", "PLUGIN_TIMINGS"]);

export default defineConfig({
  resolve: { conditions: ["@longwave/source", "module", "browser"] },
  plugins: [refuseTypebox(), nameHome()],
  build: {
    assetsDir: "console-assets",
    // The page's policy allows files of its own origin only: nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    // Beside the bundle; the browser asks for it only with its tools open.
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // A browser fetches few files at once: what every page needs is three of them, and a page is one more.
        codeSplitting: {
          groups: [
            { name: "libraries", test: /\/node_modules\/(?!papaparse|lean-qr)/, priority: 2 },
            {
              name: "shared",
              test: /\/(?:contract|sdk|console)\/src\/(?!pages\/)/,
              minShareCount: 3,
            },
          ],
        },
      },
      // Libraries mark their client parts for servers that render; here all of it is client. And
      // how long a plugin took is for whoever works on the build.
      onLog: (level, log, log2) => {
        if (!UNHELPFUL.has(log.code ?? "")) log2(level, log);
      },
    },
  },
  server: devServer(),
});
