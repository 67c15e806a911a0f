// The repository's public address, which npm compares with the workflow that publishes a package.
import { spawnSync } from "node:child_process";

/** `https://host/owner/name` of an https or ssh address; null for a folder, or an address with more in it. */
export function publicAddress(remote) {
  const match =
    /^(?:https:\/\/(?:[^@/\s]+@)?|ssh:\/\/git@|git@)([a-z0-9.-]+\.[a-z]+)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/i.exec(
      remote.trim(),
    );
  return match ? `https://${match[1]}/${match[2]}/${match[3]}` : null;
}

/** Address of the remote `origin`; null without one that is public. */
export function originAddress(root) {
  const { status, stdout } = spawnSync("git", ["remote", "get-url", "origin"], {
    cwd: root,
    encoding: "utf8",
  });
  return status === 0 ? publicAddress(stdout) : null;
}
