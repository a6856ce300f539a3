import type { KeptArtifact } from '@hamlet/store';

/** The browser runs and loads nothing for these bytes, and pages of other sites cannot embed them. */
const CONFINED = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
} as const;

/** The bytes always leave as an opaque file; the type that the agent claims does not count. Pure. */
export function attachmentHeaders(name: string): Record<string, string> {
  return {
    ...CONFINED,
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${asciiOf(name)}"; filename*=UTF-8''${extended(name)}`,
  };
}

/** An artifact never changes, so the browser of its reader may keep an image for an hour. Pure. */
export function imageHeaders(type: NonNullable<KeptArtifact['imageType']>): Record<string, string> {
  return {
    ...CONFINED,
    'content-type': type,
    'content-disposition': 'inline',
    'cache-control': 'private, max-age=3600',
  };
}

/** For clients that do not read RFC 6266's `filename*`. */
const asciiOf = (name: string): string => name.replaceAll(/[^ !#$&'()+,\-.0-9;=@A-Z[\]^_`a-z{}~]/g, '_');

/** The extended value of RFC 8187. */
const extended = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

/** The type of an image by its first bytes; null if a browser should not show it. SVG is a program, and is none. Pure. */
export function imageTypeOf(content: Uint8Array): KeptArtifact['imageType'] {
  const startsWith = (magic: Buffer): boolean => magic.equals(content.subarray(0, magic.length));
  if (startsWith(PNG)) return 'image/png';
  return startsWith(JPEG) ? 'image/jpeg' : null;
}
