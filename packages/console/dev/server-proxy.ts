import type { ServerOptions } from "vite";

const SERVER_DEFAULT = "http://127.0.0.1:7670";

/** `vite` alone serves the sources; calls go to a Longwave that runs elsewhere. */
export function devServer(): ServerOptions {
  const target = process.env["LONGWAVE_URL"] ?? SERVER_DEFAULT;
  return { proxy: { "/console/v1": { target, changeOrigin: true } } };
}
