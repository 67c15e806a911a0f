// The package.json of a published package, derived from its workspace's.

const SOURCE_CONDITION = "@longwave/source";
/** Fields that only this repository needs. */
const OUR_OWN = ["private", "devDependencies", "scripts", "longwave"];

/**
 * A bundled workspace has `"longwave": { "bundled": true }`: its dependencies are inside the bundle, except those
 * named under `outside`. npm accepts provenance only from the repository that the manifest names.
 */
export function publishedManifest(manifest, { repository, folder }) {
  const published = Object.fromEntries(
    Object.entries(manifest).filter(([key]) => !OUR_OWN.includes(key)),
  );
  if (manifest.exports) published.exports = withoutSources(manifest.exports);
  Object.assign(published, origin(repository, folder));
  published.files = ["dist"];
  if (manifest.longwave?.bundled) {
    published.files.push("THIRD-PARTY-NOTICES.txt");
    const outside = Object.entries(manifest.dependencies ?? {}).filter(([name]) =>
      manifest.longwave.outside?.includes(name),
    );
    delete published.dependencies;
    if (outside.length > 0) published.dependencies = Object.fromEntries(outside);
  }
  return published;
}

function origin(repository, folder) {
  if (repository === null) return { publishConfig: { access: "public" } };
  return {
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    publishConfig: { access: "public", provenance: true },
  };
}

function withoutSources(conditions) {
  if (typeof conditions === "string") return conditions;
  return Object.fromEntries(
    Object.entries(conditions)
      .filter(([key]) => key !== SOURCE_CONDITION)
      .map(([key, value]) => [key, withoutSources(value)]),
  );
}
