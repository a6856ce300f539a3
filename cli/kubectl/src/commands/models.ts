import { dataOf, showModels, testModel, type CallData, type CallInput, type VillageModel } from '@hamlet/contract';
import { Failure, type Invocation } from '../command.ts';
import { printable } from '../talk/printable.ts';
import { listed } from '../table.ts';
import { apiCommand } from '../village-api.ts';

const USAGE = '[list] [--agent=NAME] | test NAME [--provider] [--agent=NAME]';

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

const modelsTable = (models: readonly VillageModel[]): string =>
  listed(models, 'no models: no tier includes one', {
    NAME: ({ name }) => printable(name),
    STATE: stateOf,
    PROVIDER: ({ provider }) => provider ?? '-',
    KIND: ({ kind }) => kind ?? '-',
    CONTEXT: ({ context_tokens }) => context_tokens ?? '-',
    TIERS: ({ tiers }) => tiers.join(',') || '-',
  });

function chosenLines(agentId: string, model: NonNullable<Models['agent']>['model']): readonly string[] {
  if (model === null) return [`${agentId} has no model: no provider serves one of its tier`];
  const lacks = [...(model.tools === false ? ['tools'] : []), ...(model.json === false ? ['JSON by a schema'] : [])];
  const without = lacks.length === 0 || model.scripted ? '' : `, without ${lacks.join(' and ')}`;
  return [`${agentId} uses ${model.name} from ${model.provider}${without}: ${printable(model.reason)}`];
}

export function listLines({ models, scripted_only: scriptedOnly, agent }: Models): readonly string[] {
  return [
    modelsTable(models),
    ...(agent === null
      ? []
      : [
          `${agent.agent_id} may use ${agent.allowed.length === 0 ? 'none of them' : agent.allowed.join(', ')}`,
          ...chosenLines(agent.agent_id, agent.model),
        ]),
    ...(scriptedOnly
      ? ['No language model answers: agents speak sentences from a list. An admin can connect one (docs/MODELS.md).']
      : []),
  ];
}

export function testLines(name: string, test: Test): readonly string[] {
  const { provider, scripted, ms, text, abilities, cost, fix } = test;
  if (!test.ok) return failureLines(name, test);
  const head = scripted
    ? `${name}: the scripted mind answered, and no language model was asked`
    : `${name} answers at ${provider} in ${ms} ms`;
  return [
    head,
    ...(text === null || text.trim() === '' ? [] : [`  text: ${printable(text.trim())}`]),
    ...abilities.map(abilityLine),
    ...(cost === null ? [] : [`  cost: ${cost.amount} ${cost.currency}`]),
    ...fixLines(fix),
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
    ...fixLines(fix),
  ];
}

const fixLines = (fix: string | null): readonly string[] => (fix === null ? [] : [`  fix:  ${printable(fix)}`]);

export const models = apiCommand<Act, Models | Test>({
  name: 'models',
  usage: USAGE,
  summary: 'lists the models of the village with their providers, or tests one',
  details: `"test" asks a model for a few words and for each of its abilities (stream, tools, json, embeddings), as an admin;
no agent is charged. It exits 1 if the model fails. --provider tests the connected provider NAME by its first model. --agent=NAME lists the models of an agent, or tests with
the agent's own key or provider.`,
  options: { agent: { type: 'string' }, provider: { type: 'boolean' } },
  names: [0, 2],
  act: modelsAct,
  read: (api, act) =>
    act.kind === 'list'
      ? dataOf(api.call(showModels, { query: act.query }))
      : dataOf(api.call(testModel, { body: act.body })),
  text: (answer, act) => ('ok' in answer ? testLines(act.kind === 'test' ? act.name : '', answer) : listLines(answer)),
  exit: (answer) => ('ok' in answer && !answer.ok ? 1 : 0),
});
