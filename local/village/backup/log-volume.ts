/** The volume of the sealed log; a helper pod writes to it while the api is stopped. */
import { kubectl, secretValue, tryKubectl, type Place } from '../kubectl.ts';
import { transfer } from './stream.ts';

/** The Deployment that stores the sealed log, and the folder in its pod. */
export const LOG_DEPLOYMENT = 'hamlet-api';
export const LOG_FOLDER = '/var/lib/hamlet-log';

const POD = 'hamlet-restore';

interface PodSpec {
  readonly [field: string]: unknown;
  readonly securityContext?: object;
  readonly nodeSelector?: object;
  readonly tolerations?: readonly object[];
  readonly imagePullSecrets?: readonly object[];
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly securityContext?: object;
    readonly imagePullPolicy?: string;
  }[];
}

/** A pod that sleeps, with the api's image, node and rights. Pure. */
function podOf({ securityContext, nodeSelector, tolerations, imagePullSecrets, containers }: PodSpec): object {
  const api = containers.find(({ name }) => name === 'api');
  const known = Object.fromEntries(
    Object.entries({ securityContext, nodeSelector, tolerations, imagePullSecrets }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: POD,
      labels: { 'app.kubernetes.io/part-of': 'hamlet', 'app.kubernetes.io/component': 'restore' },
    },
    spec: {
      ...known,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      containers: [
        {
          name: 'log',
          image: api?.image,
          imagePullPolicy: api?.imagePullPolicy,
          command: ['sleep', '1800'],
          securityContext: api?.securityContext,
          volumeMounts: [{ name: 'log', mountPath: LOG_FOLDER }],
        },
      ],
      volumes: [{ name: 'log', persistentVolumeClaim: { claimName: 'hamlet-log' } }],
    },
  };
}

/**
 * The running pod with the volume of the log; undefined if there is none. The Deployment's own selector would also
 * match other replicas.
 */
export async function podOfLog(place: Place): Promise<string | undefined> {
  const selector = '--selector=app.kubernetes.io/component=api,hamlet.village/log-volume!=none';
  const running = '--field-selector=status.phase=Running';
  const { stdout } = await tryKubectl(place, ['get', 'pods', selector, running, '-o', 'name']);
  return stdout.split('\n').find((name) => name !== '');
}

/** Replaces the folder of the log by that of a backup. */
export async function replaceLog(place: Place, tar: string, doing: (text: string) => void): Promise<void> {
  const unpack = `rm -rf checkpoint checkpoints hashes key.pub .checkpoint.new && exec tar -xf - --no-same-owner`;
  await inFolder(place, { script: unpack, from: tar, doing });
}

/**
 * Returns the folder to an earlier moment. A tar holds the `checkpoint` and the `hashes` of that moment. The cut keeps the entries that
 * folder and tar share, and moves all later ones to `lost/TIME` as evidence; so it also works towards a moment that an earlier cut has
 * passed. It installs the checkpoint last, so that an interrupted cut begins again. The api then writes its key again.
 */
const CUT = `set -eu
rm -rf .then
mkdir .then
tar -xf - -C .then --no-same-owner
[ -e hashes ] || : >hashes
set -- $(cmp -l hashes .then/hashes 2>/dev/null | head -n 1)
same=$(stat -c %s hashes .then/hashes | sort -n | head -n 1)
[ $# -eq 0 ] || same=$(($1 - 1))
same=$((same / 32))
if [ -e checkpoint ] && ! { cmp -s checkpoint .then/checkpoint && cmp -s hashes .then/hashes; }; then
  lost=lost/$(date -u +%Y%m%dT%H%M%SZ)
  mkdir -p lost
  mkdir "$lost" "$lost/checkpoints"
  cp checkpoint "$lost/"
  tail -c +"$((same * 32 + 1))" hashes >"$lost/hashes"
  for each in checkpoints/*; do
    [ -e "$each" ] || continue
    [ "$(sed -n 2p "$each")" -le "$same" ] || mv "$each" "$lost/checkpoints/"
  done
  [ ! -e key.pub ] || mv key.pub "$lost/"
  sync
fi
mv .then/hashes hashes
sync
if [ -s .then/checkpoint ]; then mv .then/checkpoint checkpoint; else rm -f checkpoint; fi
rm -rf .then
sync`;

/** Makes the folder that of an earlier moment. `tar` has its `checkpoint`, empty before the first, and its `hashes`. */
export async function cutLog(place: Place, tar: string, doing: (text: string) => void): Promise<void> {
  await inFolder(place, { script: CUT, from: tar, doing });
}

interface Script {
  readonly script: string;
  /** The file that its standard input comes from. */
  readonly from: string;
  readonly doing: (text: string) => void;
}

/** Runs a script in the folder of the log, in a helper pod, while no api has the volume. */
async function inFolder(place: Place, { script, from, doing }: Script): Promise<void> {
  const template = JSON.parse(
    await kubectl(place, ['get', 'deployment', LOG_DEPLOYMENT, '-o', 'jsonpath={.spec.template.spec}']),
  ) as PodSpec;
  await tryKubectl(place, ['delete', 'pod', POD, '--ignore-not-found', '--wait']);
  try {
    await kubectl(place, ['apply', '-f', '-'], { input: JSON.stringify(podOf(template)) });
    await kubectl(place, ['wait', '--for=condition=Ready', `pod/${POD}`, '--timeout=120s'], {
      doing,
      fix: `kubectl describe pod ${POD}`,
    });
    const command = ['sh', '-c', `cd ${LOG_FOLDER} || exit\n${script}`];
    await transfer(place, { pod: POD, command, from, doing });
  } finally {
    await tryKubectl(place, ['delete', 'pod', POD, '--ignore-not-found', '--wait=false']);
  }
}

/** Installs the key that signed the log of the backup. Returns true if the village had another key. */
export async function replaceKey(place: Place, key: string): Promise<boolean> {
  if ((await secretValue(place, 'hamlet-log', 'key.pem')) === key) return false;
  const patch = JSON.stringify({ data: { 'key.pem': Buffer.from(key).toString('base64') } });
  await kubectl(place, ['patch', 'secret', 'hamlet-log', '--type=merge', '--patch-file=/dev/stdin'], { input: patch });
  return true;
}
