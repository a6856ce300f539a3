import type { AgentCard } from '@a2a-js/sdk';
import { shorten } from '@hamlet/core';
import type { AgentRecord } from '../agents/agent-source.ts';
import { callbackHostsOf } from './callbacks/judge-callback.ts';

export const A2A_BINDING = 'JSONRPC';
export const VERSION = '1.0';
/** The version of callers that send no version. */
export const OLDER_VERSION = '0.3';

const DESCRIPTION_MAX_CHARS = 600;
const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';
const BYTES = 'application/octet-stream';

const WORK = {
  id: 'work',
  name: 'Work',
  description: 'Takes a piece of work in words, asks when it needs a decision, and returns an answer and files.',
  tags: ['work'],
  examples: [],
  inputModes: [],
  outputModes: [],
  securityRequirements: [],
};

const pathOfAgent = (agentId: string): string => `/a2a/${agentId}`;
export const pathOfCard = (agentId: string): string => `${pathOfAgent(agentId)}/.well-known/agent-card.json`;

/** The card of an agent for callers at an origin. Pure. */
export function cardOf(
  { agentId, spec, generation = 1 }: Pick<AgentRecord, 'agentId' | 'spec' | 'generation'>,
  origin: string,
): AgentCard {
  const url = `${origin}${pathOfAgent(agentId)}`;
  const name = spec.displayName ?? agentId;
  return {
    name,
    description: shorten(spec.persona?.identity ?? `${name}, an agent of a village.`, DESCRIPTION_MAX_CHARS),
    supportedInterfaces: [VERSION, OLDER_VERSION].map((protocolVersion) => ({
      url,
      protocolBinding: A2A_BINDING,
      tenant: '',
      protocolVersion,
    })),
    provider: undefined,
    version: String(generation),
    capabilities: {
      streaming: true,
      pushNotifications: callbackHostsOf(spec).length > 0,
      extensions: [],
      extendedAgentCard: false,
    },
    securitySchemes: {
      key: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: 'An API key of the village', scheme: 'bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: [TEXT, JSON_TYPE, ...(spec.hands?.enabled === false ? [] : [BYTES])],
    defaultOutputModes: [TEXT, JSON_TYPE],
    skills: [WORK],
    signatures: [],
  };
}
