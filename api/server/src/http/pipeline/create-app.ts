import { pathsOf, ROUTES, type Audience, type RouteSpec } from '@hamlet/contract';
import { randomUUID } from 'node:crypto';
import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { AddressGate } from './address-gate.ts';
import type { MountPorts } from './exchange.ts';
import type { AnyHandler, Handlers } from '../handler.ts';
import { mount } from './mount.ts';
import { takeQuota } from './admit.ts';
import { refused } from '../outcome.ts';
import { refusalOfError, sendRefusal } from '../respond.ts';
import { serveWeb } from './serve-web.ts';

interface AppOptions {
  readonly audiences: readonly Audience[];
  readonly handlers: Handlers;
  readonly ports: MountPorts;
  readonly only?: RouteSpec['tag'];
  readonly webDir?: string | undefined;
}

export function createApp(options: AppOptions): Express {
  const { audiences, handlers, ports, only, webDir } = options;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const routes = ROUTES.filter(
    (route) =>
      route.audiences.some((audience) => audiences.includes(audience)) && (only === undefined || route.tag === only),
  ).toSorted(modelsFirst);
  app.use(countAddress(ports.gate));
  for (const route of routes)
    mount(app, { route, handler: handlers[route.name] as AnyHandler, listener: audiences }, ports);
  if (webDir !== undefined) app.use(serveWeb(webDir));
  app.use(refuseUnknown(routes));
  app.use(refuseBroken);
  return app;
}

/** Express compares a request with one route after another, and agents wait for each answer of a model. */
function modelsFirst(a: RouteSpec, b: RouteSpec): number {
  return Number(b.permission === 'models:use') - Number(a.permission === 'models:use');
}

/** Counts every request of an address before anything else, even for unknown paths. */
function countAddress(gate: AddressGate): RequestHandler {
  return (request, response, next) => {
    const refusal = takeQuota({ response }, gate.takeRequest(gate.addressOf(request)));
    if (refusal === null) return next();
    // The body of a refused request stays unread, so the connection must close.
    response.set('connection', 'close');
    sendRefusal(response, refusal, randomUUID());
  };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+').replace(/\{\w+\*\}$/, '.+')}/?$`);
}

function refuseUnknown(routes: readonly RouteSpec[]): RequestHandler {
  const known = routes.flatMap((route) =>
    pathsOf(route).map((path) => ({ pattern: patternOf(path), method: route.method })),
  );
  return (request, response) => {
    const methods = known.filter(({ pattern }) => pattern.test(request.path)).map(({ method }) => method);
    if (methods.length > 0) response.set('allow', [...new Set(methods)].join(', '));
    sendRefusal(
      response,
      methods.length > 0 ? refused('method_not_allowed', `Use ${methods.join(' or ')}`) : refused('route_not_found'),
      randomUUID(),
    );
  };
}

/** Handles errors of express itself: a path with a wrong encoding, a file that cannot be sent. */
// oxlint-disable-next-line max-params -- express knows an error handler by its four parameters
const refuseBroken: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (response.headersSent) response.destroy();
  else
    sendRefusal(
      response,
      error instanceof URIError
        ? refused('validation_failed', 'The path has an invalid percent-encoding: correct it')
        : refusalOfError(error),
      randomUUID(),
    );
};
