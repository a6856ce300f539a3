import type { Target } from '../chat/chat-delta.ts';
import type { ChatMessage, ChatRequest, ToolCall } from '../chat/chat-request.ts';
import { describeImages } from '../chat/image-text.ts';
import { findRoute, matchPattern } from './find-route.ts';
import type { ModelsConfig } from './models-config.ts';
import { seesImages } from './sees-images.ts';

export interface Capabilities {
  readonly tools: boolean;
  readonly json: boolean;
  /** True if it can stream. */
  readonly stream: boolean;
  readonly embeddings: boolean;
  /** True if it sees images. */
  readonly images: boolean;
  /** `opened`: its prompt opens the thoughts, so that its answers begin within them. Else a tag in the answer opens them. */
  readonly thoughts?: 'opened' | undefined;
}

export const ALL_CAPABILITIES: Capabilities = { tools: true, json: true, stream: true, embeddings: true, images: true };
const TEXT_ALONE: Capabilities = { tools: false, json: false, stream: true, embeddings: false, images: false };

/** Informs a model that it has no tools, so that it does not claim to have acted. */
const TEXT_MODE =
  'You cannot use tools in this answer: answer in words. If something requires an action, say that you cannot do it.';
const RESULT_MAX_CHARS = 2_000;

type Config = Pick<ModelsConfig, 'providers' | 'capabilities'>;

/** The abilities of a model at a provider: from the configuration, else by the kind of the provider and, for images, the name of the model. Pure. */
export function findCapabilities({ providers, capabilities }: Config, { provider, model }: Target): Capabilities {
  const named = capabilities.find(
    (entry) => (entry.provider ?? provider) === provider && matchPattern(entry.model, model) !== null,
  );
  const kind = providers[provider]?.kind;
  const images = kind !== undefined && seesImages(kind, model);
  if (named !== undefined) {
    const { tools, json, stream, embeddings, thoughts } = named;
    const can = { tools, json, stream, embeddings, images: named.images ?? images };
    return thoughts === undefined ? can : { ...can, thoughts };
  }
  return kind === 'completions' || kind === 'scripted' ? TEXT_ALONE : { ...ALL_CAPABILITIES, images };
}

function offersTools({ tools = [], toolChoice }: ChatRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none';
}

function demandsTool(request: ChatRequest): boolean {
  return offersTools(request) && request.toolChoice !== undefined && request.toolChoice !== 'auto';
}

/** True if the answer must be JSON. Pure. */
export function demandsJson({ responseSchema, jsonObject }: ChatRequest): boolean {
  return responseSchema !== undefined || jsonObject === true;
}

function callText({ name, arguments: text }: ToolCall): string {
  return `(${name} ${text})`;
}

function plainMessage(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') {
    const { content, images } = message;
    const words = content.slice(0, RESULT_MAX_CHARS).toWellFormed();
    return { role: 'user', content: `Result of a tool: ${words}`, ...(images === undefined ? {} : { images }) };
  }
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
  const { content, toolCalls } = message;
  return { role: 'assistant', content: [content, ...toolCalls.map(callText)].filter((part) => part !== '').join('\n') };
}

/** The request for a model that only writes: without tools, earlier calls and results as text. Pure. */
function withoutTools({
  tools: _tools,
  toolChoice: _choice,
  parallelToolCalls: _parallel,
  ...rest
}: ChatRequest): ChatRequest {
  const [first, ...others] = rest.messages.map(plainMessage);
  const notice = { role: 'system' as const, content: TEXT_MODE };
  if (first === undefined) return { ...rest, messages: [notice] };
  // Some chat templates admit one system message only.
  const head = first.role === 'system' ? [{ ...first, content: `${first.content}\n\n${TEXT_MODE}` }] : [notice, first];
  return { ...rest, messages: [...head, ...others] };
}

interface Fit<T> {
  readonly targets: readonly T[];
  readonly request: ChatRequest;
  /** True if no model of the chain can use tools, so the request is sent without its optional tools. */
  readonly toolsIgnored: boolean;
  /** The refusal if no model of the chain supports the request, else null. */
  readonly refusal: string | null;
}

/**
 * Fits a request to a chain: drops models that do not support it, and describes images if no model sees. If none remains, it ignores optional tools, and
 * refuses a required tool call or JSON. Pure.
 */
export function fitRequest<T extends { readonly can?: Capabilities | undefined }>(
  targets: readonly T[],
  request: ChatRequest,
): Fit<T> {
  const needsJson = demandsJson(request);
  const needsTools = offersTools(request);
  const able = (can: Capabilities = ALL_CAPABILITIES): boolean =>
    (!needsTools || can.tools) && (!needsJson || can.json);
  const left = targets.filter(({ can }) => able(can));
  if (left.length > 0) return { targets: left, request: fitImages(left, request), toolsIgnored: false, refusal: null };
  const refused = (refusal: string): Fit<T> => ({ targets, request, toolsIgnored: false, refusal });
  if (demandsTool(request)) return refused('this model cannot call tools: do not require a call, or use another model');
  const writers = targets.filter(({ can = ALL_CAPABILITIES }) => !needsJson || can.json);
  if (writers.length === 0)
    return refused('this model does not support schemas: ask without one, or use another model');
  return { targets: writers, request: withoutTools(fitImages(writers, request)), toolsIgnored: true, refusal: null };
}

/** The request with texts in place of images if no model of the chain sees. */
function fitImages(targets: readonly { readonly can?: Capabilities | undefined }[], request: ChatRequest): ChatRequest {
  return targets.some(({ can = ALL_CAPABILITIES }) => can.images) ? request : describeImages(request);
}

/** Fits a request to the chain of a model's name; unchanged if no route matches. Pure. */
export function fitToRoute(
  config: Pick<ModelsConfig, 'routes'> & Config,
  name: string,
  request: ChatRequest,
): Pick<Fit<unknown>, 'request' | 'toolsIgnored' | 'refusal'> {
  const chain = findRoute(config, name);
  if (chain === null) return { request, toolsIgnored: false, refusal: null };
  return fitRequest(
    chain.targets.map((target) => ({ can: findCapabilities(config, target) })),
    request,
  );
}
