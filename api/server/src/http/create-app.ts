import { pathsOf, ROUTES } from '@hamlet/contract';
import type { Audience, RouteSpec } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { MountPorts } from './exchange.ts';
import type { AnyHandler, Handlers } from './handler.ts';
import { mount } from './mount.ts';
import { refused } from './outcome.ts';
import type { Refused } from './outcome.ts';
import { refusalOfError, sendRefusal } from './respond.ts';

/** A turn with all that was perceived is the largest body there is. */
const BODY_LIMIT = '256kb';

export interface AppOptions {
  readonly audiences: readonly Audience[];
  readonly handlers: Handlers;
  readonly ports: MountPorts;
  /** Routes to serve; all of the audiences' where it is left out. */
  readonly only?: RouteSpec['tag'];
  /** Built web to serve at /. */
  readonly webDir?: string | undefined;
  readonly trustedProxies: string;
}

/** An app that serves the routes of its audiences, and refuses everything else with a problem. */
export function createApp(options: AppOptions): Express {
  const { audiences, handlers, ports, only, webDir } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', options.trustedProxies);
  const routes = ROUTES.filter((route) => route.audiences.some((audience) => audiences.includes(audience)) && (only === undefined || route.tag === only));
  app.use(readBodies(routes));
  for (const route of routes) mount(app, { route, handler: handlers[route.name] as AnyHandler, listener: audiences }, ports);
  if (webDir !== undefined) app.use(serveWeb(webDir));
  app.use(refuseUnknown(routes));
  app.use(refuseBroken);
  return app;
}

/** Reads bodies as JSON; where a route asks for its bytes, as the bytes they are. */
function readBodies(routes: readonly RouteSpec[]): RequestHandler {
  const json = express.json({ limit: BODY_LIMIT, strict: false, type: ['application/json', 'application/*+json'] });
  const raw = express.raw({ limit: BODY_LIMIT, type: () => true });
  const rawPaths = new Set(routes.filter(({ rawBody }) => rawBody === true).flatMap(pathsOf));
  return (request, response, next) => (rawPaths.has(request.path) ? raw : json)(request, response, next);
}

/** The page runs what the village serves and nothing else: no inline code, no eval, no other origin; it cannot be framed. */
const PAGE_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "object-src 'none'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The web's only page is /; its files carry a hash in their names and never change. */
function serveWeb(webDir: string): RequestHandler {
  return express.static(webDir, {
    index: 'index.html',
    redirect: false,
    setHeaders: (response, path) => {
      response.setHeader('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
      response.setHeader('x-content-type-options', 'nosniff');
      if (path.endsWith('.html')) response.setHeader('content-security-policy', PAGE_POLICY);
    },
  });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+').replace(/\{\w+\*\}$/, '.+')}/?$`);
}

/** A known path with another method is told which methods it knows. */
function refuseUnknown(routes: readonly RouteSpec[]): RequestHandler {
  const known = routes.flatMap((route) => pathsOf(route).map((path) => ({ pattern: patternOf(path), method: route.method })));
  return (request, response) => {
    const methods = known.filter(({ pattern }) => pattern.test(request.path)).map(({ method }) => method);
    if (methods.length > 0) response.set('allow', [...new Set(methods)].join(', '));
    sendRefusal(response, methods.length > 0 ? refused('method_not_allowed', `Use ${methods.join(' or ')}`) : refused('route_not_found'), randomUUID());
  };
}

/** What the body parser throws, in our words. */
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
const refuseBroken: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (response.headersSent) response.destroy();
  else sendRefusal(response, refusalOfParser(error), randomUUID());
};

function refusalOfParser(error: unknown): Refused {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : '';
  if (type === 'entity.too.large') return refused('body_too_large', `At most ${BODY_LIMIT}`);
  if (type === 'entity.parse.failed' || type === 'request.aborted' || type === 'encoding.unsupported') return refused('malformed_body');
  if (error instanceof URIError) return refused('validation_failed', 'The path is not properly encoded');
  return refusalOfError(error);
}
