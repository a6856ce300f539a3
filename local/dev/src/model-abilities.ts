/** Probes the abilities of a model with small requests. */

const ANSWER_TIMEOUT_MS = 20_000;
const ANSWER_TOKENS = 8;

export interface ModelAbilities {
  /** True for a base model: the server refuses a chat and continues a text. */
  readonly isBaseModel: boolean;
  readonly tools: boolean;
  readonly json: boolean;
}

export interface AskedServer {
  /** The address up to and including `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | null;
}

const MESSAGES = [{ role: 'user', content: 'Say hello.' }];
const parameters = { type: 'object', properties: {} };
const TOOLS = [{ type: 'function', function: { name: 'wave', description: 'Waves a hand.', parameters } }];
const SCHEMA = { name: 'greeting', schema: { type: 'object', properties: { word: { type: 'string' } } } };

/** `unclear`: the server did not answer, is busy, or refuses the key. */
type Reply = 'served' | 'refused' | 'unclear';

async function ask({ baseUrl, model, key }: AskedServer, path: string, body: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
  try {
    const response = await fetch(`${baseUrl}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, max_tokens: ANSWER_TOKENS, ...body }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return 'served';
    return [400, 404, 405, 415, 422, 501].includes(response.status) ? 'refused' : 'unclear';
  } catch {
    return 'unclear';
  }
}

/**
 * The abilities of a model. One is missing only if the server refuses a request that needs it and serves the same one
 * without it; in doubt the model has it.
 */
export async function findAbilities(server: AskedServer): Promise<ModelAbilities> {
  const chat = (more: object = {}): Promise<Reply> => ask(server, 'chat/completions', { messages: MESSAGES, ...more });
  const withTools = await chat({ tools: TOOLS });
  const plain = withTools === 'refused' ? await chat() : withTools;
  if (plain === 'refused') {
    const isBaseModel = (await ask(server, 'completions', { prompt: 'Hello' })) === 'served';
    return { isBaseModel, tools: !isBaseModel, json: !isBaseModel };
  }
  const format = { response_format: { type: 'json_schema', json_schema: SCHEMA } };
  const json = plain !== 'served' || (await chat(format)) !== 'refused';
  return { isBaseModel: false, tools: !(withTools === 'refused' && plain === 'served'), json };
}
