import { connect } from 'node:tls';
import type { OutwardRoute } from '../post-out.ts';

/** Leads requests to a port of loopback, behind a public address; that of inside.home is private. */
export const routeTo = (port: number, ca: string): OutwardRoute => ({
  lookup: (host, _options, done) =>
    done(null, [{ address: host === 'inside.home' ? '10.0.0.7' : '93.184.215.99', family: 4 }]),
  connect: ({ host, lookup }) =>
    connect({
      host,
      servername: host,
      port,
      ca,
      lookup: (name, options, done) =>
        lookup(name, { ...options, all: true }, (error) => done(error, [{ address: '127.0.0.1', family: 4 }])),
    }),
});
