import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface TestCertificate {
  /** The certificate, and its issuers below the root. */
  readonly chain: string;
  readonly key: string;
}

/** A certificate authority for tests, made with openssl: a root, an issuer below it, and their certificates. */
export interface TestAuthority {
  readonly root: string;
  server(names: readonly string[]): Promise<TestCertificate>;
  /** Issues a certificate that signs notifications under this common name. */
  signer(commonName: string): Promise<TestCertificate>;
  remove(): Promise<void>;
}

const openssl = (command: string, ...more: readonly string[]) => execute('openssl', [...command.split(' '), ...more]);
/** Arguments for a new key. Only the PayPal stand-in, which signs with RSA, has such a key: openssl makes it a hundred times slower. */
const NEW_KEY = {
  ec: 'req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes',
  rsa: 'req -newkey rsa:2048 -nodes',
} as const;

interface Wanted {
  readonly subject: string;
  readonly extensions: string;
  readonly key?: keyof typeof NEW_KEY;
}

type Issue = (by: string, wanted: Wanted) => Promise<string>;

/** Issues certificates into a folder. Returns the base name of the new certificate's files. */
function issuerIn(file: (name: string) => string): Issue {
  let made = 0;
  return async (by, { subject, extensions, key: kind = 'ec' }) => {
    made += 1;
    const name = `c${made}`;
    await writeFile(file(`${name}.ext`), extensions);
    const [key, request] = [file(`${name}.key`), file(`${name}.csr`)];
    await openssl(`${NEW_KEY[kind]} -keyout ${key} -out ${request} -subj`, subject);
    const issuer = `-CA ${file(`${by}.pem`)} -CAkey ${file(`${by}.key`)} -CAcreateserial`;
    const issued = `-extfile ${file(`${name}.ext`)} -out ${file(`${name}.pem`)}`;
    await openssl(`x509 -req -in ${request} ${issuer} -days 2 ${issued}`);
    return name;
  };
}

/** Creates an authority. Two authorities do not trust each other. */
export async function testAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'hamlet-test-authority-'));
  const file = (name: string): string => join(folder, name);
  const issue = issuerIn(file);
  const ca = '-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign';
  const root = `-keyout ${file('root.key')} -out ${file('root.pem')}`;
  await openssl(`${NEW_KEY.ec} -x509 -days 2 ${ca} ${root} -subj`, '/CN=a root for tests');
  const issuer = await issue('root', {
    subject: '/CN=an issuer for tests',
    extensions: 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n',
  });
  const read = (name: string): Promise<string> => readFile(file(name), 'utf8');

  async function leaf(wanted: Wanted): Promise<TestCertificate> {
    const name = await issue(issuer, wanted);
    const [own, above, key] = await Promise.all([read(`${name}.pem`), read(`${issuer}.pem`), read(`${name}.key`)]);
    return { chain: `${own}${above}`, key };
  }

  return {
    root: await read('root.pem'),
    server: (names) =>
      leaf({
        subject: '/CN=a server for tests',
        extensions: `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\nextendedKeyUsage=serverAuth\n`,
      }),
    signer: (commonName) =>
      leaf({
        subject: `/C=US/O=PayPal, Inc./CN=${commonName}`,
        extensions: 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n',
        key: 'rsa',
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
