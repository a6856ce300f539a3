import { createClient, ProblemError, type Client } from '@hamlet/contract';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure, type Command, type Invocation, type Options } from './command.ts';
import type { Kubectl } from './kubectl.ts';
import { printed } from './table.ts';

const SERVICE = 'service/hamlet-api';
const PORT = 8080;
const FORWARD_TIMEOUT_MS = 15_000;

const API_OPTIONS: Options = { url: { type: 'string' } };
const API_DETAILS = `Calls the api of the village. Set HAMLET_TOKEN to your token (an API key or a bearer token of a member or an admin); in
the work tree of a village that "make up" started, .hamlet/up.json has that of its admin. The plugin connects by
"kubectl port-forward", or to the address in --url or HAMLET_URL.`;

interface Local {
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
}

/** The address and the admin's token that `make up` wrote to up.json, in this folder or a folder above it. */
function localVillage(from: string): Local | undefined {
  const file = join(from, '.hamlet', 'up.json');
  if (existsSync(file)) {
    const { url, adminToken: token, kubeconfig } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    if (url !== undefined && token !== undefined) return { url, token, kubeconfig: kubeconfig ?? '' };
  }
  return dirname(from) === from ? undefined : localVillage(dirname(from));
}

/** Forwards a local port to the api through the API server. */
async function forward(kubectl: Kubectl): Promise<readonly [url: string, close: () => void]> {
  const child = kubectl.start(['port-forward', SERVICE, `:${PORT}`, '--address=127.0.0.1']);
  const close = (): void => void child.kill();
  let output = '';
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      close();
      fail(new Failure(`kubectl port-forward ${SERVICE} did not start within ${FORWARD_TIMEOUT_MS / 1_000} s`));
    }, FORWARD_TIMEOUT_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (port === undefined) return;
      clearTimeout(timer);
      done([`http://127.0.0.1:${port}`, close]);
    });
    let problems = '';
    child.stderr?.on('data', (chunk: Buffer) => (problems += chunk.toString('utf8')));
    child.once('close', () => {
      clearTimeout(timer);
      fail(new Failure(`kubectl port-forward to the api failed: ${problems.trim()}`));
    });
  });
}

/** The title and the detail of a refusal in one line; the title alone if the detail says the same. Pure. */
export const refusalText = ({ problem: { title, detail } }: ProblemError): string =>
  detail === title ? title : `${title}: ${detail}`;

/** Converts a refusal of the API, or an unreachable API, to a Failure. Returns other errors unchanged. */
function asFailure(error: unknown, url: string): unknown {
  if (error instanceof ProblemError) return new Failure(refusalText(error));
  return error instanceof TypeError ? new Failure(`${url} does not answer`) : error;
}

/** The address in the flags or the environment, else that of this work tree's village if the kubeconfig selects it. */
function knownUrl({ flags, environment }: Invocation, local: Local | undefined): string | undefined {
  if (typeof flags['url'] === 'string') return flags['url'];
  const { HAMLET_URL: given, KUBECONFIG: kubeconfig } = environment;
  return given ?? (local !== undefined && local.kubeconfig === kubeconfig ? local.url : undefined);
}

/** Calls the api with the token of the environment, or of this work tree's village. Throws a Failure with the api's message if the api refuses. */
export async function withApi<T>(invocation: Invocation, call: (api: Client) => Promise<T>): Promise<T> {
  const local = localVillage(resolve('.'));
  const token = invocation.environment['HAMLET_TOKEN'] ?? local?.token;
  if (token === undefined)
    throw new Failure(
      `the api needs a token: make an API key in the web, on the page Connections in the menu of your account, and put it into HAMLET_TOKEN\n${API_DETAILS}`,
    );
  const known = knownUrl(invocation, local);
  const [url, close] = known === undefined ? await forward(invocation.kubectl) : [known, (): void => undefined];
  try {
    return await call(createClient({ baseUrl: url, token }));
  } catch (error) {
    throw asFailure(error, url);
  } finally {
    close();
  }
}

/** A command that calls the api, prints its answer as text or JSON, and exits 0 unless `exit` says otherwise. */
interface ApiCommand<Act, T> extends Omit<Command, 'run'> {
  /** Parses the command line. Throws a Failure before the api is called. */
  act(invocation: Invocation): Act;
  read(api: Client, act: Act): Promise<T>;
  text(answer: T, act: Act, nowMs: number): string | readonly string[];
  /** The form of `--output=json`; the answer if left out. */
  json?(answer: T): unknown;
  exit?(answer: T, act: Act): 0 | 1;
}

/** Adds the flags of the api to a command, and their help. */
export function ofApi(command: Command): Command {
  const { details, options } = command;
  return { ...command, details: `${details}\n\n${API_DETAILS}`, options: { ...API_OPTIONS, ...options } };
}

export function apiCommand<Act, T>(parts: ApiCommand<Act, T>): Command {
  const { act, read, text, json, exit, ...command } = parts;
  return ofApi({
    ...command,
    async run(invocation) {
      const asked = act(invocation);
      const answer = await withApi(invocation, (api) => read(api, asked));
      printed(invocation, json === undefined ? answer : json(answer), () => text(answer, asked, invocation.nowMs));
      return exit?.(answer, asked) ?? 0;
    },
  });
}
