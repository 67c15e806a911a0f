import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { consoleCall } from "./client.ts";
import type { AddedPasskey, SignInAnswer } from "./session-types.ts";

interface Challenge<T> {
  readonly options: T;
  /** Sealed by the server, and sent back with the browser's answer. */
  readonly setup: string;
}

/** Browsers offer passkeys over https and on localhost, and only under a host name. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && !/^[\d.]+$|:/.test(location.hostname);

/** The library loads with the first use. */
const library = () => import("@simplewebauthn/browser");

/** Signs in, or confirms the person who is signed in. */
export async function signInByPasskey(
  path: "/passkeys/sign-in" | "/session/confirm/passkey",
): Promise<SignInAnswer> {
  const { options, setup } = await consoleCall<Challenge<PublicKeyCredentialRequestOptionsJSON>>(
    "/passkeys/options",
    { method: "POST" },
  );
  const { startAuthentication } = await library();
  const { id, response } = await orExplain(startAuthentication({ optionsJSON: options }));
  return consoleCall<SignInAnswer>(path, {
    method: "POST",
    body: {
      setup,
      id,
      client_data: response.clientDataJSON,
      authenticator_data: response.authenticatorData,
      signature: response.signature,
    },
  });
}

export async function addPasskey(name: string): Promise<AddedPasskey> {
  const { options, setup } = await consoleCall<Challenge<PublicKeyCredentialCreationOptionsJSON>>(
    "/me/passkeys/options",
    { method: "POST" },
  );
  const { startRegistration } = await library();
  const { id, response } = await orExplain(startRegistration({ optionsJSON: options }));
  return consoleCall<AddedPasskey>("/me/passkeys", {
    method: "POST",
    body: {
      name,
      setup,
      id,
      client_data: response.clientDataJSON,
      attestation: response.attestationObject,
      transports: response.transports ?? [],
    },
  });
}

/** The browser says in its own words why it made no answer; most often the person closed its window. */
async function orExplain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    if (name === "InvalidStateError")
      throw new Error("This device already has a passkey of yours.", { cause: error });
    throw new Error("The browser made no passkey. Try again, or use your password.", {
      cause: error,
    });
  }
}
