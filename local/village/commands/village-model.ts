/**
 * The language model of `make up MODEL=`: its key in a Secret, its route out of the local cluster, its values for the
 * chart.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { chooseModel, configOf, MODEL_CREDENTIAL, type ChosenModel } from '@hamlet/dev/model';
import { clusterStatus, hamletCluster } from '../cluster.ts';
import { Failure } from '../failure.ts';
import { kubectl, tryKubectl, type Place } from '../kubectl.ts';
import { stateFile } from '../paths.ts';
import type { ModelValues } from './install-charts.ts';
import { writePrivate } from '../secrets.ts';
import type { Settings } from '../settings.ts';

const KEYS_SECRET = 'hamlet-model-keys';
/** Port of the machine on which the local cluster reaches a server without TLS. */
const PLAIN_PORT = 18_090;
const TLS_PORT = '443';
const OFF = 'scripted';

export interface ModelRoute {
  readonly baseUrl: string;
  /** A forward that the machine listens on; null if pods reach the server themselves. */
  readonly forward: { readonly listen: string; readonly to: string } | null;
  readonly hostAliases: readonly { readonly ip: string; readonly hostnames: readonly string[] }[];
}

/** The stored choice, which the next `make up` reads; it has no key. */
interface StoredModel {
  readonly chosen: Omit<ChosenModel, 'key'>;
  readonly hasKey: boolean;
}

/**
 * The route from the local cluster: its nodes have no route out of the machine, so the machine forwards. With TLS the
 * host name stays, so that pods can check the certificate. Pure.
 */
export function routeFrom(machineIp: string, baseUrl: string): ModelRoute {
  const url = new URL(baseUrl);
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? TLS_PORT : '80') : url.port;
  const to = `tcp://${url.hostname}:${port}`;
  if (isTls)
    return {
      baseUrl,
      forward: { listen: `${machineIp}:${port}`, to },
      hostAliases: [{ ip: machineIp, hostnames: [url.hostname] }],
    };
  return {
    baseUrl: `http://${machineIp}:${PLAIN_PORT}${url.pathname}`,
    forward: { listen: `${machineIp}:${PLAIN_PORT}`, to },
    hostAliases: [],
  };
}

export function modelValues(chosen: ChosenModel, { baseUrl, hostAliases }: ModelRoute): ModelValues {
  return {
    models: {
      config: configOf({ ...chosen, baseUrl }),
      keysSecretName: chosen.key === null ? '' : KEYS_SECRET,
    },
    api: { hostAliases },
  };
}

async function routeOf({ cluster }: Settings, baseUrl: string): Promise<ModelRoute> {
  if (cluster === 'current') return { baseUrl, forward: null, hostAliases: [] };
  const status = await clusterStatus();
  if (status === undefined) throw new Error('the cluster step has not run');
  return routeFrom(status.spec.apiHost, baseUrl);
}

/** Stores the key in its Secret. It is sent by standard input, so that no list of processes shows it. */
async function storeKey(place: Place, key: string): Promise<void> {
  const metadata = { name: KEYS_SECRET, labels: { 'app.kubernetes.io/part-of': 'hamlet' } };
  const data = { [MODEL_CREDENTIAL]: Buffer.from(key).toString('base64') };
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data });
  await kubectl(place, ['apply', '--server-side', '--force-conflicts', '--field-manager=hamlet-up', '-f', '-'], {
    input,
  });
}

/** The model of an earlier `make up`; its key is in the cluster. */
async function storedModel(place: Place, file: string): Promise<ChosenModel | null> {
  if (!existsSync(file)) return null;
  const { chosen, hasKey } = JSON.parse(readFileSync(file, 'utf8')) as StoredModel;
  if (!hasKey) return { ...chosen, key: null };
  if ((await tryKubectl(place, ['get', 'secret', KEYS_SECRET])).code !== 0)
    throw new Failure(
      `the cluster has no key for the model ${chosen.model} at ${chosen.baseUrl}`,
      `MODEL_KEY=… make up MODEL=${chosen.baseUrl} MODEL_NAME=${chosen.model}, or make up MODEL=${OFF} for the scripted mind`,
    );
  return { ...chosen, key: '' };
}

/** The model of MODEL, else that of the previous start; null for the scripted mind. */
async function modelOf(place: Place, { model }: Settings): Promise<ChosenModel | null> {
  const file = stateFile('model.json');
  if (model['MODEL'] === OFF) {
    rmSync(file, { force: true });
    return null;
  }
  const chosen = await chooseModel(model).catch((error: unknown) => {
    throw new Failure(error instanceof Error ? error.message : String(error), 'see make help for MODEL');
  });
  if (chosen === null) return storedModel(place, file);
  const { key, ...rest } = chosen;
  if (key !== null) await storeKey(place, key);
  writePrivate(file, { chosen: rest, hasKey: key !== null } satisfies StoredModel);
  return chosen;
}

export interface ConnectedModel {
  readonly label: string;
  readonly values: ModelValues;
}

/** Connects the village's models to the server that MODEL names. The namespace must exist. */
export async function connectModel(place: Place, settings: Settings): Promise<ConnectedModel> {
  const chosen = await modelOf(place, settings);
  if (chosen === null) return { label: 'the scripted mind; make up MODEL=URL connects a language model', values: {} };
  const route = await routeOf(settings, chosen.baseUrl);
  if (route.forward !== null)
    await hamletCluster(['forward', '--listen', route.forward.listen, '--to', route.forward.to]);
  return { label: `${chosen.model} at ${chosen.baseUrl}`, values: modelValues(chosen, route) };
}
