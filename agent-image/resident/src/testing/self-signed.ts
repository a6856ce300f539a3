import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes a key and its own certificate for names such as `DNS:localhost`. Returns the paths of both files in the folder. */
export function selfSigned(folder: string, names: readonly string[]): readonly [key: string, certificate: string] {
  const [key, certificate] = [join(folder, 'own.key'), join(folder, 'own.crt')];
  const made = [...NEW_KEY, '-days', '2', '-keyout', key, '-out', certificate];
  const subject = ['-subj', '/CN=a server for tests', '-addext', `subjectAltName=${names.join(',')}`];
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' });
  return [key, certificate];
}
