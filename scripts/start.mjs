// npm start: installs, builds and serves.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import "./check-port.mjs";
import "./build-serving.mjs";
import { root } from "./install.mjs";

// The server runs in this process, so that signals reach it directly.
process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(root, "packages/server/dist/main.js")).href);
