import { defineConfig } from "vite";
import { listHomeChunks } from "./dev/list-home-chunks.ts";
import { refuseTypebox } from "./dev/refuse-typebox.ts";
import { devServer } from "./dev/server-proxy.ts";

const UNHELPFUL = new Set(["MODULE_LEVEL_DIRECTIVE", "PLUGIN_TIMINGS"]);

export default defineConfig({
  resolve: { conditions: ["@longwave/source", "module", "browser"] },
  plugins: [refuseTypebox(), listHomeChunks()],
  build: {
    assetsDir: "console-assets",
    // The page's policy allows files of its own origin only: nothing may be inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    // Beside the bundle; browsers load it with open developer tools only.
    sourcemap: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Browsers load few files at once: three chunks are shared by every page, and each page is
        // one more.
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
      // Hides warnings about "use client" marks in libraries, and plugin timings: neither concerns
      // a build.
      onLog: (level, log, log2) => {
        if (!UNHELPFUL.has(log.code ?? "")) log2(level, log);
      },
    },
  },
  server: devServer(),
});
