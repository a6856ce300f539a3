/** What the platform offers to check a proof with, and gives later than core wants it. */
export interface ProofCrypto {
  digest(bytes: Uint8Array): Promise<Uint8Array>;
  /** Whether a signature over a message is that of an Ed25519 key. */
  verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): Promise<boolean>;
}

/** This browser's, or why it cannot check a proof. */
export async function browserCrypto(): Promise<ProofCrypto | string> {
  // Absent from pages that are not served securely.
  const subtle: SubtleCrypto | undefined = globalThis.crypto?.subtle;
  if (subtle === undefined) return 'Browsers check signatures only on https or localhost.';
  if (!('fromBase64' in Uint8Array) || !(await knowsEd25519(subtle)))
    return 'This browser is too old to check Ed25519 signatures.';
  return {
    digest: async (bytes) => new Uint8Array(await subtle.digest('SHA-256', new Uint8Array(bytes))),
    verify: async (message, signature, publicKey) => {
      const key = await subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
      return subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
    },
  };
}

async function knowsEd25519(subtle: SubtleCrypto): Promise<boolean> {
  return subtle.generateKey('Ed25519', false, ['sign', 'verify']).then(
    () => true,
    () => false,
  );
}
