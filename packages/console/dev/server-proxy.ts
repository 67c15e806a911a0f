import type { ServerOptions } from "vite";

const SERVER_DEFAULT = "http://127.0.0.1:7670";

/** Development server: `vite` serves the sources and forwards calls to a running Longwave. */
export function devServer(): ServerOptions {
  const target = process.env["LONGWAVE_URL"] ?? SERVER_DEFAULT;
  return { proxy: { "/console/v1": { target, changeOrigin: true } } };
}
