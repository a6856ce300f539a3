import {
  ProblemError,
  showModels,
  testModel,
  type CallData,
  type CallInput,
  type Client,
  type VillageModel,
} from '@hamlet/contract';
import { Failure, type Command, type Invocation } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { jsonText, table } from '../table.ts';
import { API_DETAILS, API_OPTIONS, withApi } from '../village-api.ts';

const USAGE = '[list] [--agent=NAME] | test NAME [--provider] [--agent=NAME]';
const HEAD = ['NAME', 'STATE', 'PROVIDER', 'KIND', 'CONTEXT', 'TIERS'];

type Models = CallData<typeof showModels>;
type Test = CallData<typeof testModel>;
type TestBody = NonNullable<CallInput<typeof testModel>['body']>;
type Act =
  | { readonly kind: 'list'; readonly query: { readonly agent_id?: string } }
  | { readonly kind: 'test'; readonly name: string; readonly body: TestBody };

export function modelsAct({ names, flags }: Pick<Invocation, 'names' | 'flags'>): Act {
  const [verb = 'list', name] = names;
  const { agent, provider } = flags;
  const ofAgent = typeof agent === 'string' ? { agent_id: agent } : {};
  if (verb === 'test' && name !== undefined)
    return {
      kind: 'test',
      name,
      body: { ...(provider === true ? { credential: name } : { model: name }), ...ofAgent },
    };
  if (verb !== 'list' || name !== undefined || provider === true)
    throw new Failure(`usage: kubectl hamlet models ${USAGE}`, 2);
  return { kind: 'list', query: ofAgent };
}

function stateOf({ provider, available, scripted }: VillageModel): string {
  if (provider === null) return 'NoProvider';
  if (!available) return 'KeyMissing';
  return scripted ? 'Scripted' : 'Answers';
}

const rowOf = (model: VillageModel): readonly string[] => [
  printable(model.name),
  stateOf(model),
  model.provider ?? '-',
  model.kind ?? '-',
  model.context_tokens === null ? '-' : String(model.context_tokens),
  model.tiers.length === 0 ? '-' : model.tiers.join(','),
];

function chosenLines(agentId: string, model: NonNullable<Models['agent']>['model']): readonly string[] {
  if (model === null) return [`${agentId} has no model: no provider serves one of its tier`];
  const lacks = [...(model.tools === false ? ['tools'] : []), ...(model.json === false ? ['JSON by a schema'] : [])];
  const without = lacks.length === 0 || model.scripted ? '' : `, without ${lacks.join(' and ')}`;
  return [`${agentId} asks ${model.name} of ${model.provider}${without}: ${printable(model.reason)}`];
}

export function listLines({ models, scripted_only: scriptedOnly, agent }: Models): readonly string[] {
  return [
    models.length === 0 ? 'no models: no tier includes one' : table(HEAD, models.map(rowOf)),
    ...(agent === null
      ? []
      : [
          `${agent.agent_id} may ask for ${agent.allowed.length === 0 ? 'none of them' : agent.allowed.join(', ')}`,
          ...chosenLines(agent.agent_id, agent.model),
        ]),
    ...(scriptedOnly
      ? ['No language model answers: agents speak sentences from a list. An admin can connect one (docs/MODELS.md).']
      : []),
  ];
}

export function testLines(name: string, test: Test): readonly string[] {
  const { provider, scripted, ms, text, abilities, cost } = test;
  if (!test.ok) return failureLines(name, test);
  const head = scripted
    ? `${name}: the scripted mind answered, and no language model was asked`
    : `${name} answers at ${provider} in ${ms} ms`;
  return [
    head,
    ...(text === null || text.trim() === '' ? [] : [`  text: ${printable(text.trim())}`]),
    ...abilities.map(abilityLine),
    ...(cost === null ? [] : [`  cost: ${cost.amount} ${cost.currency}`]),
  ];
}

const CAN = { true: 'yes', false: 'no', null: 'unknown' } as const;
const ABILITY_COLUMNS = 12;
const CAN_COLUMNS = 8;

function abilityLine({ ability, can, note }: Test['abilities'][number]): string {
  return `  ${`${ability}:`.padEnd(ABILITY_COLUMNS)}${CAN[`${can}`].padEnd(CAN_COLUMNS)}${printable(note)}`;
}

function failureLines(name: string, { provider, code, message, fix }: Test): readonly string[] {
  return [
    `${name} fails at ${provider} (${code ?? 'failed'})${message === null ? '' : `: ${printable(message)}`}`,
    ...(fix === null ? [] : [`  fix:  ${printable(fix)}`]),
  ];
}

async function list(api: Client, query: { readonly agent_id?: string }): Promise<Models> {
  const outcome = await api.call(showModels, { query });
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data;
}

async function tested(api: Client, body: TestBody): Promise<Test> {
  const outcome = await api.call(testModel, { body });
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.data;
}

export const models: Command = {
  name: 'models',
  usage: USAGE,
  summary: 'lists the models of the village and who answers for them, or tests one',
  details: `"test" asks a model for a few words and for each of its abilities (stream, tools, json, embeddings), as an admin;
no agent is charged. It exits 1 if the model fails. --provider tests the connected provider NAME by its first model. --agent=NAME lists the models of an agent, or tests with
the agent's own key or provider.\n\n${API_DETAILS}`,
  options: { ...API_OPTIONS, agent: { type: 'string' }, provider: { type: 'boolean' } },
  names: [0, 2],
  async run(invocation) {
    const { json, print } = invocation;
    const act = modelsAct(invocation);
    if (act.kind === 'list') {
      const answer = await withApi(invocation, (api) => list(api, act.query));
      for (const line of json ? [jsonText(answer)] : listLines(answer)) print(line);
      return 0;
    }
    const test = await withApi(invocation, (api) => tested(api, act.body), 'admin');
    for (const line of json ? [jsonText(test)] : testLines(act.name, test)) print(line);
    return test.ok ? 0 : 1;
  },
};
