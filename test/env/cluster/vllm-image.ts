import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterStatus, hamletCluster, program } from '../../../local/village/cluster.ts';
import { run } from '../../../local/village/command.ts';
import { ensureBases } from '../../../local/village/images/base.ts';
import { buildah, buildDockerfile } from '../../../local/village/images/buildah.ts';
import { stageSources } from '../../../local/village/images/context.ts';
import { ROOT } from '../../../local/village/paths.ts';
import { testFolder } from '../at-end.ts';

const NAME = 'docker.io/hamlet/fake-vllm';
const REFERENCE = `${NAME}:test`;
/** Node runs the program as it is. The chart starts it as `vllm serve MODEL …`. */
const DOCKERFILE = `ARG NODE_IMAGE
FROM \${NODE_IMAGE}
COPY models /opt/models
RUN chmod 755 /opt/models/testing/vllm-program.ts && ln -s /opt/models/testing/vllm-program.ts /usr/local/bin/vllm
`;

/** Names the image on a node by its digest, as the chart requires. Returns that name. */
async function nameByDigest(socket: string): Promise<string> {
  const ctr = await program('ctr');
  const images = ['-a', socket, '-n', 'k8s.io', 'image'];
  const digest = /sha256:[0-9a-f]{64}/.exec(await run(ctr, [...images, 'ls', `name==${REFERENCE}`]))?.[0] ?? '';
  const named = `${NAME}@${digest}`;
  await run(ctr, [...images, 'tag', '--force', REFERENCE, named]);
  return named;
}

/** Builds an image of the fake vLLM server, and loads it into all nodes of the local cluster. Returns its name with its digest. */
export async function loadVllmImage(): Promise<string> {
  const folder = testFolder('vllm-image');
  const context = { log: join(folder, 'log'), doing: () => undefined };
  const { node } = await ensureBases(context);
  const staged = join(folder, 'context');
  stageSources([{ from: join(ROOT, 'api/models/src'), to: 'models' }], staged);
  const dockerfile = join(folder, 'Dockerfile');
  writeFileSync(dockerfile, DOCKERFILE);
  await buildDockerfile({ name: REFERENCE, context: staged, dockerfile, buildArgs: { NODE_IMAGE: node } }, context);
  const archive = join(folder, 'image.tar');
  await buildah(['push', '--quiet', REFERENCE, `docker-archive:${archive}:${REFERENCE}`], context);
  await hamletCluster(['load-image', archive], context);
  const status = await clusterStatus();
  const names = await Promise.all(
    (status?.spec.nodes ?? []).map(({ name }) =>
      nameByDigest(join(status?.spec.state ?? '', 'nodes', name, 'containerd.sock')),
    ),
  );
  const [named] = names;
  if (named === undefined || names.some((each) => each !== named)) throw new Error(`the nodes differ: ${names.join()}`);
  return named;
}
