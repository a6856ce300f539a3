import { createClient, ProblemError, type Client } from '@hamlet/contract';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Invocation, Options } from './command.ts';
import { Failure } from './failure.ts';
import type { Kubectl } from './kubectl.ts';

const SERVICE = 'service/hamlet-api';
const PORT = 8080;
const FORWARD_TIMEOUT_MS = 15_000;

/** Flags of the commands that ask the api. */
export const API_OPTIONS: Options = { url: { type: 'string' } };
export const API_DETAILS = `What runs are is in the village's database, so this asks its api, with a token of yours in HAMLET_TOKEN (an API key or
a bearer token of a member or an admin). In the work tree of a village that "make up" started, .hamlet/up.json has
one. The way there is "kubectl port-forward", or the address in --url or HAMLET_URL.`;

interface Local {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** What `make up` has written, here or in a folder above. */
function localVillage(from: string, role: 'member' | 'admin'): Local | undefined {
  const file = join(from, '.hamlet', 'up.json');
  if (existsSync(file)) {
    const { url, memberToken, adminToken, kubeconfig } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      string,
      string
    >;
    const token = role === 'admin' ? adminToken : (memberToken ?? adminToken);
    if (url !== undefined && token !== undefined) return { url, token, kubeconfig: kubeconfig ?? '' };
  }
  return dirname(from) === from ? undefined : localVillage(dirname(from), role);
}

/** Opens a way to the api through the API server; closed by the second of the two. */
async function forward(kubectl: Kubectl): Promise<readonly [url: string, close: () => void]> {
  const child = kubectl.start(['port-forward', SERVICE, `:${PORT}`, '--address=127.0.0.1']);
  const close = (): void => void child.kill();
  let said = '';
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      close();
      fail(new Failure(`kubectl port-forward ${SERVICE} did not begin within ${FORWARD_TIMEOUT_MS / 1_000} s`));
    }, FORWARD_TIMEOUT_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? [];
      if (port === undefined) return;
      clearTimeout(timer);
      done([`http://127.0.0.1:${port}`, close]);
    });
    let problems = '';
    child.stderr?.on('data', (chunk: Buffer) => (problems += chunk.toString('utf8')));
    child.once('close', () => {
      clearTimeout(timer);
      fail(new Failure(`no way to the api: ${problems.trim()}`));
    });
  });
}

/** A failure in the api's words, or that it does not answer; anything else is itself. */
function inWords(error: unknown, url: string): unknown {
  if (error instanceof ProblemError) return new Failure(`${error.problem.title}: ${error.problem.detail}`);
  return error instanceof TypeError ? new Failure(`${url} does not answer`) : error;
}

/** An address that is known without asking: given, or of the village of this work tree if that is the one that is meant. */
function knownUrl({ flags, environment }: Invocation, local: Local | undefined): string | undefined {
  if (typeof flags['url'] === 'string') return flags['url'];
  const { HAMLET_URL: given, KUBECONFIG: kubeconfig } = environment;
  return given ?? (local !== undefined && local.kubeconfig === kubeconfig ? local.url : undefined);
}

/** Asks the api as the role that the question needs, whatever the way there; a refusal becomes a failure in its words. */
export async function withApi<T>(
  invocation: Invocation,
  ask: (api: Client) => Promise<T>,
  role: 'member' | 'admin' = 'member',
): Promise<T> {
  const local = localVillage(resolve('.'), role);
  const token = invocation.environment['HAMLET_TOKEN'] ?? local?.token;
  if (token === undefined) throw new Failure(`the api asks who you are: put a token into HAMLET_TOKEN\n${API_DETAILS}`);
  const known = knownUrl(invocation, local);
  const [url, close] = known === undefined ? await forward(invocation.kubectl) : [known, (): void => undefined];
  try {
    return await ask(createClient({ baseUrl: url, token }));
  } catch (error) {
    throw inWords(error, url);
  } finally {
    close();
  }
}
