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
const NEW_KEY = 'req -newkey rsa:2048 -nodes';

type Issue = (by: string, subject: string, extensions: string) => Promise<string>;

/** Issues certificates into a folder. Returns the base name of the new certificate's files. */
function issuerIn(file: (name: string) => string): Issue {
  let made = 0;
  return async (by, subject, extensions) => {
    made += 1;
    const name = `c${made}`;
    await writeFile(file(`${name}.ext`), extensions);
    const [key, request] = [file(`${name}.key`), file(`${name}.csr`)];
    await openssl(`${NEW_KEY} -keyout ${key} -out ${request} -subj`, subject);
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
  await openssl(`${NEW_KEY} -x509 -days 2 ${ca} ${root} -subj`, '/CN=a root for tests');
  const issuer = await issue(
    'root',
    '/CN=an issuer for tests',
    'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n',
  );
  const read = (name: string): Promise<string> => readFile(file(name), 'utf8');

  async function leaf(subject: string, extensions: string): Promise<TestCertificate> {
    const name = await issue(issuer, subject, extensions);
    const [own, above, key] = await Promise.all([read(`${name}.pem`), read(`${issuer}.pem`), read(`${name}.key`)]);
    return { chain: `${own}${above}`, key };
  }

  return {
    root: await read('root.pem'),
    server: (names) =>
      leaf(
        '/CN=a server for tests',
        `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\nextendedKeyUsage=serverAuth\n`,
      ),
    signer: (commonName) =>
      leaf(`/C=US/O=PayPal, Inc./CN=${commonName}`, 'basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
