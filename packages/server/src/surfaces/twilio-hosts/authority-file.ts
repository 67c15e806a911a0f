import { X509Certificate } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { writePrivate } from "../../core/platform/whole-file.ts";
import type { Authority } from "./authority.ts";

/** The authority's certificate and the file that keeps it. */
export interface AuthorityFile {
  readonly path: string;
  readonly pem: string;
}

/**
 * Keeps one certificate per data folder: signing it again changes its bytes. Every machine's own is equally valid,
 * because key and name are the same. The file holds no secret.
 */
export async function keepAuthority(folder: string, authority: Authority): Promise<AuthorityFile> {
  const path = join(folder, "twilio-ca.pem");
  const kept = await readFile(path, "utf8").catch(() => "");
  if (isOf(authority, kept)) return { path, pem: kept };
  const pem = authority.certificate();
  await writePrivate(path, pem);
  // Containers and programs of other accounts read it.
  await chmod(path, 0o644);
  return { path, pem };
}

function isOf(authority: Authority, pem: string): boolean {
  try {
    return new X509Certificate(pem).verify(authority.publicKey);
  } catch {
    return false;
  }
}
