import type { ProcessPlace } from './start-process.ts';

/** The resident's proxy, which every program in the pod reaches, because the containers share one network. */
export const LOOPBACK_PROXY = { host: '127.0.0.1', port: 3128 } as const;

/** The certificate of the village's authority, which the operator mounts into the hands. */
export const VILLAGE_CERTIFICATE = '/etc/hamlet/ca/ca.crt';

/** The roots of the system; the supervisor of the hands adds the village's authority. */
const SYSTEM_ROOTS = '/etc/ssl/certs/ca-certificates.crt';

/** The host of the broker's own endpoints for programs that use the proxy: `http://hamlet/git/…`. */
export const BROKER_HOST = 'hamlet';

const DIRECT = 'localhost,127.0.0.1,::1';

/** A user of the proxy: the run and call of a process. The agent's token never leaves the resident. */
export const proxyUser = ({ run, call }: ProcessPlace): string => `${run}/${call}`;

/** The address of the proxy with a user. The password is ignored, but some programs require one. */
function proxyAddress(place: ProcessPlace): string {
  const { host, port } = LOOPBACK_PROXY;
  return `http://${encodeURIComponent(proxyUser(place))}:x@${host}:${String(port)}`;
}

/** Variables that direct programs to the pod's proxy, and make them trust the broker's certificates. */
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
    // Node uses the proxy only with this variable.
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
