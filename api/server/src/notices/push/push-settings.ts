import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readVapidKey, type VapidKey } from './vapid.ts';

/** An `https:` or `mailto:` URL: some push services refuse every other one. */
const Contact = z
  .string()
  .max(254)
  .regex(/^(?:https:\/\/|mailto:[^@\s]+@)[^\s]+$/, 'write a mailto: or https: URL');
const HOST = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

export const PUSH_ENVIRONMENT = {
  HAMLET_PUSH_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'file with the EC key (P-256, PEM) that signs notices for browsers (VAPID); without it, the village notifies no browsers',
    ),
  HAMLET_PUSH_CONTACT: Contact.optional().describe(
    'mailto: or https: URL where operators of push services reach yours (HAMLET_PUBLIC_URL)',
  ),
  HAMLET_PUSH_HOSTS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((host) => host !== ''))
    .pipe(z.array(z.string().regex(HOST, 'write names such as push.example.org or *.example.org')).max(20))
    .describe('hosts of further push services, separated by commas; *. stands for any name before'),
} as const;

type Variables = z.infer<z.ZodObject<typeof PUSH_ENVIRONMENT>>;

export interface PushSettings {
  readonly keyFile: string;
  readonly contact: string;
  /** Push services beside the known ones. */
  readonly hosts: readonly string[];
}

/** The settings of push; undefined without a key. Throws an Error that names a missing variable. */
export function pushSettingsOf(
  env: Variables & { readonly HAMLET_PUBLIC_URL?: URL | undefined },
): PushSettings | undefined {
  const { HAMLET_PUSH_KEY_FILE: keyFile, HAMLET_PUSH_HOSTS: hosts, HAMLET_PUBLIC_URL: publicUrl } = env;
  if (keyFile === undefined) return undefined;
  const contact = env.HAMLET_PUSH_CONTACT ?? (publicUrl?.protocol === 'https:' ? publicUrl.origin : undefined);
  if (contact === undefined)
    throw new Error(
      'HAMLET_PUSH_CONTACT: write where operators of push services reach you, for example mailto:you@example.org',
    );
  return { keyFile, contact, hosts };
}

/** Reads the key pair of the village. Throws an Error that names the variable. */
export function readPushKey({ keyFile }: PushSettings): VapidKey {
  try {
    return readVapidKey(readFileSync(keyFile, 'utf8'));
  } catch (error) {
    throw new Error(`HAMLET_PUSH_KEY_FILE: ${keyFile} has no key: ${String(error)}`, { cause: error });
  }
}
