import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import type { RequestHandler } from 'express';

/** The page runs only code from the village: no inline code, no eval, no other origin. Other pages cannot frame it. */
const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The worker that shows notices loads nothing but its icon. */
const WORKER = '/push-worker.js';
const WORKER_POLICY = "default-src 'none'; img-src 'self'";

/** Encodings in which the build writes files, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const;

/**
 * Serves the web. Its only page is /. Names of files contain a hash, so browsers may cache the files permanently. The build
 * writes encoded files into folders such as `.br`: a path with a name that begins with a dot is not found, so they have no
 * address of their own.
 */
export function serveWeb(webDir: string): RequestHandler[] {
  const encoded = ENCODINGS.map((encoding): RequestHandler => {
    const serve = serveFolder(join(webDir, `.${encoding}`), encoding);
    return (request, response, next) => {
      if (request.acceptsEncodings(encoding) === false) next();
      else serve(request, response, next);
    };
  });
  return [...encoded, serveFolder(webDir, null)];
}

/** Serves the files of a folder, all in this encoding; null for none. */
function serveFolder(folder: string, encoding: (typeof ENCODINGS)[number] | null): RequestHandler {
  return express.static(folder, {
    index: 'index.html',
    redirect: false,
    setHeaders: (response, path) => {
      const isNamedByHash = path.includes('/assets/');
      response.setHeader('cache-control', isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (!isNamedByHash) response.setHeader('etag', tagOf(path));
      response.setHeader('vary', 'accept-encoding');
      if (encoding !== null) response.setHeader('content-encoding', encoding);
      response.setHeader('x-content-type-options', 'nosniff');
      if (path.endsWith('.html')) response.setHeader('content-security-policy', PAGE_POLICY);
      if (path.endsWith(WORKER)) response.setHeader('content-security-policy', WORKER_POLICY);
    },
  });
}

/** A tag of the bytes. Express makes tags of size and time, and both stay the same after an upgrade: images give all files one time. */
const tagOf = (path: string): string => `"${createHash('sha256').update(readFileSync(path)).digest('base64url')}"`;
