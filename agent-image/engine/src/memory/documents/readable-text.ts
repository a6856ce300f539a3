import type { SkipReason } from './documents.ts';
import { MAX_PATH_CHARS } from './limits.ts';

const FOLDERS = /(^|\/)(node_modules|\.git|\.hg|\.svn|__pycache__|\.venv|venv|dist|\.next)\//;
const GENERATED_NAME =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock|flake\.lock)$|\.min\.(js|css)$|\.map$|\.generated\.\w+$|\.pb\.go$|_pb2(_grpc)?\.py$/i;
const GENERATED_HEAD = /@generated\b|\bDO NOT EDIT\b/;
const HEAD_CHARS = 1_000;
const SECRET =
  /(^|\/)(\.env(\.(?!example|sample|template)[\w-]+)*|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|[^/]+\.(pem|key|p12|pfx|jks|keystore|kdbx))$/i;
/** Texts of longer lines on average are minified or data. */
const MAX_LINE_CHARS = 500;
const LEAST_JUDGED_CHARS = 5_000;

/** Why a file is skipped by its path alone; null if its content decides. Pure. */
export function skippedByPath(path: string): SkipReason | null {
  if (path === '' || path.length > MAX_PATH_CHARS || path.includes('\0')) return 'unreadable';
  if (SECRET.test(path)) return 'secret';
  return FOLDERS.test(path) || GENERATED_NAME.test(path) ? 'generated' : null;
}

/** The text of a file that a person wrote, or why it is skipped. Pure. */
export function readableText(data: Uint8Array): string | Readonly<{ skipped: SkipReason }> {
  const text = decoded(data);
  if (text === null) return { skipped: 'binary' };
  return isGenerated(text) ? { skipped: 'generated' } : text;
}

function decoded(data: Uint8Array): string | null {
  if (data.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    return null;
  }
}

function isGenerated(text: string): boolean {
  if (GENERATED_HEAD.test(text.slice(0, HEAD_CHARS))) return true;
  return text.length > LEAST_JUDGED_CHARS && text.length > MAX_LINE_CHARS * text.split('\n').length;
}
