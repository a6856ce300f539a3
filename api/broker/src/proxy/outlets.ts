import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, getCACertificates } from 'node:tls';
import { normalHost, type EgressDenial } from '@hamlet/core/egress';
import { reach, type Network } from '../connect/reach.ts';
import type { Admission } from '../village.ts';

const MAX_OUTLETS = 1000;
const MAX_SOCKETS = 64;
const MAX_IDLE = 32;
const IDLE_MS = 15_000;

/** No connection to the host, and why. */
export class NotReached extends Error {
  readonly denial: EgressDenial;

  constructor(denial: EgressDenial) {
    super(denial.message);
    this.denial = denial;
  }
}

/** Connections to servers for the requests of one agent. No other agent's request ever uses them. */
export interface Outlet {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

interface Target {
  readonly host?: string | null;
  readonly port?: number | string | null;
}

type Created = (error: Error | null, stream: Duplex) => void;

/** The outlets of all agents, by life and version of the rules, so that no connection outlives its rules. */
export class Outlets {
  readonly #outlets = new Map<string, Outlet>();
  readonly #network: Network;
  readonly #trusted: string[] | undefined;

  /** @param roots further certificates (PEM) by which the broker knows servers, beside those of the system. */
  constructor(network: Network, roots?: string) {
    this.#network = network;
    this.#trusted = roots === undefined ? undefined : [...getCACertificates(), roots];
  }

  of(admission: Admission): Outlet {
    const key = `${admission.uid} ${admission.policy.version}`;
    const known = this.#outlets.get(key);
    if (known !== undefined) return known;
    const outlet = this.#create(admission);
    this.#outlets.set(key, outlet);
    const oldest = this.#outlets.keys().next().value;
    if (this.#outlets.size > MAX_OUTLETS && oldest !== undefined) this.#drop(oldest);
    return outlet;
  }

  end(uid: string): void {
    for (const key of this.#outlets.keys()) if (key.startsWith(`${uid} `)) this.#drop(key);
  }

  endAll(): void {
    for (const key of this.#outlets.keys()) this.#drop(key);
  }

  #create(admission: Admission): Outlet {
    const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_IDLE, timeout: IDLE_MS };
    const outlet = { http: new HttpAgent(options), https: new HttpsAgent(options) };
    const open = async ({ host, port }: Target): Promise<Duplex> => {
      const socket = await reach(this.#network, admission.policy, { host: normalHost(host ?? ''), port: Number(port) });
      if ('verdict' in socket) throw new NotReached(socket);
      return socket;
    };
    outlet.http.createConnection = (target: Target, created?: Created) => this.#connect(open(target), created);
    outlet.https.createConnection = (target: Target, created?: Created) =>
      this.#connect(
        open(target).then((socket) => {
          const servername =
            isIP(target.host ?? '') === 0 ? { servername: target.host ?? '' } : { host: target.host ?? '' };
          const trusted = this.#trusted === undefined ? {} : { ca: this.#trusted };
          return connectTls({ ...servername, ...trusted, socket, ALPNProtocols: ['http/1.1'] });
        }),
        created,
      );
    return outlet;
  }

  #connect(socket: Promise<Duplex>, created?: Created): undefined {
    socket.then(
      (stream) => created?.(null, stream),
      // Node passes an error on and reads no stream beside it.
      (error: Error) => Reflect.apply(created ?? (() => undefined), undefined, [error]),
    );
    return undefined;
  }

  #drop(key: string): void {
    const outlet = this.#outlets.get(key);
    this.#outlets.delete(key);
    outlet?.http.destroy();
    outlet?.https.destroy();
  }
}
