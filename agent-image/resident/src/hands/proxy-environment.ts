import type { ProcessPlace } from './start-process.ts';

/** The proxy of the resident, which every program in the pod reaches. Its own network is the pod's. */
export const LOOPBACK_PROXY = { host: '127.0.0.1', port: 3128 } as const;

/** The certificate of the village's authority, as the operator mounts it into the hands. */
export const VILLAGE_CERTIFICATE = '/etc/hamlet/ca/ca.crt';

/** The roots of the system; the supervisor of the hands adds the village's authority to them. */
const SYSTEM_ROOTS = '/etc/ssl/certs/ca-certificates.crt';

/** The host by which programs name the endpoints of the broker itself: `http://hamlet/git/…`, through the proxy. */
export const BROKER_HOST = 'hamlet';

const DIRECT = 'localhost,127.0.0.1,::1';

/** A user of the proxy: the run and call of a process. The token of the agent never leaves the resident. */
export function proxyUser({ run, call }: ProcessPlace): string {
  return `${run}/${call}`;
}

/** The address of the proxy with a user. The password means nothing, but some programs want one. */
function proxyAddress(place: ProcessPlace): string {
  const { host, port } = LOOPBACK_PROXY;
  return `http://${encodeURIComponent(proxyUser(place))}:x@${host}:${String(port)}`;
}

/** Variables by which programs find the way out of the pod, and trust the certificates of the broker. */
export function proxyEnvironment(place: ProcessPlace): Record<string, string> {
  const proxy = proxyAddress(place);
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: DIRECT,
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: DIRECT,
    // Node asks the proxy only with this variable.
    NODE_USE_ENV_PROXY: '1',
    // Node and npm add a certificate to their own roots. The others replace theirs.
    NODE_EXTRA_CA_CERTS: VILLAGE_CERTIFICATE,
    SSL_CERT_FILE: SYSTEM_ROOTS,
    CURL_CA_BUNDLE: SYSTEM_ROOTS,
    GIT_SSL_CAINFO: SYSTEM_ROOTS,
    PIP_CERT: SYSTEM_ROOTS,
    REQUESTS_CA_BUNDLE: SYSTEM_ROOTS,
    CARGO_HTTP_CAINFO: SYSTEM_ROOTS,
  };
}
