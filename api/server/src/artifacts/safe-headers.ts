import type { KeptArtifact } from '@hamlet/store';

/** Browsers neither run nor load anything for these bytes, and pages of other sites cannot embed them. */
const CONFINED = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
} as const;

/** Headers that serve the bytes as an opaque file, regardless of the type that the agent claims. Pure. */
export function attachmentHeaders(name: string): Record<string, string> {
  return {
    ...CONFINED,
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${asciiOf(name)}"; filename*=UTF-8''${extended(name)}`,
  };
}

/** Lets the reader's browser cache an image for an hour, because artifacts never change. Pure. */
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

/**
 * The image type that the first bytes show; null if a browser should not display them. SVG can contain scripts, so it
 * is excluded. Pure.
 */
export function imageTypeOf(content: Uint8Array): KeptArtifact['imageType'] {
  const startsWith = (magic: Buffer): boolean => magic.equals(content.subarray(0, magic.length));
  if (startsWith(PNG)) return 'image/png';
  return startsWith(JPEG) ? 'image/jpeg' : null;
}
