/** The schema of the model servers that the chart runs. */
import { byName, closed, name, quantity, type Schema } from './schema-parts.ts';

const SERVERS_MAX = 8;
/** So that `hamlet-model-NAME-each-NN` is a label of DNS. */
const NAME_CHARS_MAX = 32;

/** An image by digest: a tag could name other bytes after the next pull. */
const image: Schema = { type: 'string', pattern: '^[^@\\s]+@sha256:[0-9a-f]{64}$', maxLength: 500 };
const count = (maximum: number): Schema => ({ type: 'integer', minimum: 1, maximum });
/** A fraction as text: helm writes numbers of values in its own form. */
const fraction: Schema = { type: 'string', pattern: '^0\\.[0-9]{1,2}$' };
/** The name of a parser of vLLM. */
const parser: Schema = { type: 'string', pattern: '^[a-z0-9_]*$', maxLength: 64 };

/** Amounts of a container, with devices such as nvidia.com/gpu. */
const amounts: Schema = {
  ...closed({ cpu: quantity, memory: quantity, 'ephemeral-storage': quantity }),
  patternProperties: { '^[a-z0-9.-]+/[A-Za-z0-9._-]+$': { type: ['integer', 'string'], pattern: '^[0-9]+$' } },
};

const server = {
  image,
  model: { type: 'string', pattern: '^[A-Za-z0-9/][A-Za-z0-9._:/-]*$', maxLength: 200 },
  models: {
    type: 'array',
    minItems: 1,
    maxItems: 16,
    uniqueItems: true,
    items: { type: 'string', pattern: '^[^*\\s]+$', maxLength: 128 },
  },
  contextTokens: { type: 'integer', minimum: 256, maximum: 10_000_000 },
  maxNumSeqs: count(512),
  replicas: count(16),
  resources: {
    ...closed({ requests: { ...amounts, required: ['memory'] }, limits: amounts }),
    required: ['requests'],
  },
  resourceClaimTemplateName: name,
  memAvailableGiB: { type: 'integer', minimum: 0, maximum: 4_096 },
  sharedMemory: quantity,
  loadMinutes: count(60),
  fetch: { type: 'boolean' },
  tokenSecretName: name,
  weights: closed({ claimName: name, size: quantity, storageClassName: name }),
  nodeSelector: { type: 'object', additionalProperties: { type: 'string' } },
  runtimeClassName: name,
  runAsUser: { type: 'integer', minimum: 0, maximum: 65_535 },
};
const vllm = {
  ...server,
  args: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 1_000 } },
  gpuMemoryUtilization: fraction,
  maxNumBatchedTokens: count(65_536),
  toolCallParser: parser,
  reasoningParser: parser,
  thoughts: { enum: ['', 'opened'] },
};

const servers = (properties: Schema): Schema => ({
  ...byName({ ...closed(properties), required: ['image', 'model', 'resources'] }, NAME_CHARS_MAX),
  maxProperties: SERVERS_MAX,
});

/** Servers by kind, then by name. */
export const MODEL_SERVERS: Schema = { vllm: servers(vllm), ollama: servers(server) };
