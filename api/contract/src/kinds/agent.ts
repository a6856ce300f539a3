import * as z from 'zod';
import { Hands, ModelChoice, ToolPolicy } from './agent-mind.ts';
import { Conditions } from './conditions.ts';
import { AgentEgress, Host } from './egress-rules.ts';
import { defaultWhenAbsent, guarded } from './guarded.ts';
import { API_VERSION, ObjectMeta } from './object-meta.ts';
import { Skills } from './skills.ts';
import { ByteQuantity, Duration, matching, MAX_PROSE_CHARS, ObjectName, text, Timestamp, WorldId } from './text.ts';
import { TOOL_CLASSES } from './tool-classes.ts';

const MAX_SERVERS = 8;
const MAX_SERVER_NAME_CHARS = 24;
const MAX_URL_CHARS = 2_048;
const MAX_WORDS = 32;
const MAX_WORD_CHARS = 1_024;
const MAX_TOOLS = 64;
const MAX_TOOL_CHARS = 64;
const MAX_CALLBACK_HOSTS = 16;

const McpServer = guarded(
  z.strictObject({
    name: matching(
      '^[a-z][a-z0-9-]*$',
      MAX_SERVER_NAME_CHARS,
      "write a name of at most 24 lower case letters, digits and '-', for example files",
    ).describe('Name of the server: its tools are named mcp__NAME__TOOL.'),
    url: matching('^https?://[^ ]+$', MAX_URL_CHARS, 'write an address, for example https://example.org/mcp')
      .optional()
      .describe('Address of a server over streamable HTTP. It needs a rule of egress.'),
    command: z
      .array(text(MAX_WORD_CHARS, 1))
      .min(1)
      .max(MAX_WORDS)
      .optional()
      .describe('Program in the hands that speaks MCP on its standard streams, with its arguments.'),
    class: z
      .enum(TOOL_CLASSES)
      .optional()
      .describe('Class of its tools for rules; by default a person is asked before each call.'),
    tools: z
      .array(matching('^[A-Za-z0-9_-]+$', MAX_TOOL_CHARS, 'write the name of a tool as its server writes it'))
      .max(MAX_TOOLS)
      .optional()
      .describe('The tools that the agent may use; by default all (at most 128).'),
    callTimeout: Duration.optional().describe('Time for one call; 60s if absent.'),
  }),
  [
    {
      holds: (value) => (value.url === undefined) !== (value.command === undefined),
      rule: 'has(self.url) != has(self.command)',
      message: 'write exactly one of url and command',
    },
  ],
);

export const McpServers = guarded(z.array(McpServer).max(MAX_SERVERS), [
  {
    holds: (value) => new Set(value.map(({ name }) => name)).size === value.length,
    rule: 'self.all(server, self.exists_one(other, other.name == server.name))',
    message: 'give each server a name of its own',
  },
]);

/** The pod's name `NAME-CYCLE` is also a label and a host name: at most 63 characters. */
export const MAX_AGENT_NAME_CHARS = 40;
export const AGENT_NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const MAX_CONFIG_KEYS = 32;

export const Power = z.enum(['Awake', 'Asleep']);
export type Power = z.infer<typeof Power>;

const Persona = z.strictObject({
  identity: text(MAX_PROSE_CHARS).optional().describe('Identity: who the agent is.'),
  personality: text(MAX_PROSE_CHARS).optional().describe('Personality: how the agent behaves and speaks.'),
  instructions: text(MAX_PROSE_CHARS).optional().describe('Instructions: tasks and limits of the agent.'),
});

const EntitlementChoice = guarded(
  z.strictObject({
    policy: defaultWhenAbsent(z.enum(['ByBalance', 'Pinned']), 'ByBalance').describe(
      'Choice of the tier. ByBalance (default): the highest that the balance reaches. Pinned: the one named.',
    ),
    name: ObjectName.optional().describe('Entitlement of a Pinned agent.'),
  }),
  [
    {
      holds: (value) => value.policy !== 'Pinned' || value.name !== undefined,
      rule: "!has(self.policy) || self.policy != 'Pinned' || has(self.name)",
      message: 'policy Pinned needs a name: write the name of an Entitlement, for example name: tier-1',
    },
    {
      holds: (value) => value.policy === 'Pinned' || value.name === undefined,
      rule: "!has(self.name) || (has(self.policy) && self.policy == 'Pinned')",
      message: 'a name goes with policy: Pinned only: write policy: Pinned, or leave name out',
    },
  ],
);

const RuntimeConfig = guarded(z.record(z.string(), text(4_096)), [
  {
    holds: (value) => Object.keys(value).length <= MAX_CONFIG_KEYS,
    rule: `self.size() <= ${MAX_CONFIG_KEYS}`,
    message: `write at most ${MAX_CONFIG_KEYS} keys`,
  },
]);

const Runtime = z.strictObject({
  name: matching(
    '^[a-z][a-z0-9-]{0,62}$',
    63,
    "write a runtime's name: lower case letters, digits and '-', for example scripted",
  )
    .optional()
    .describe(
      'AgentRuntime that answers people and carries out runs. By default engine if the village has a model for the agent, else scripted.',
    ),
  config: RuntimeConfig.meta({ ...RuntimeConfig.meta(), maxProperties: MAX_CONFIG_KEYS })
    .optional()
    .describe('Settings of the runtime; no secrets.'),
});

const Repository = z.strictObject({
  url: matching(
    '^(https://|ssh://|git@)[^ ]+$',
    2_048,
    'write the URL of a git repository, for example https://example.org/team/project.git',
  ),
  branch: matching('^[A-Za-z0-9][A-Za-z0-9._/-]*$', 255, "write a branch's name, for example main").optional(),
  author: z
    .strictObject({
      name: matching('^[^\\x00-\\x1f<>]+$', 100, 'write a name without < and >'),
      email: matching(
        '^[^ @<>\\x00-\\x1f]+@[^ @<>\\x00-\\x1f]+$',
        254,
        'write an address, for example mia@example.org',
      ),
    })
    .optional()
    .describe('Author of the commits of the agent; by default the person for whom it works.'),
  secretName: ObjectName.optional().describe(
    'Secret with the label hamlet.village/egress: "true" that grants access to a private repository. Only the broker has it, never the pod.',
  ),
});

const Memory = z.strictObject({
  size: guarded(ByteQuantity, [
    {
      rule: 'self == oldSelf',
      message: 'the size of a volume cannot change: keep the old one, or delete the Agent and apply it anew',
    },
  ])
    .default('1Gi')
    .describe('Size of the volume with workspace and memory.'),
  retain: z
    .enum(['Delete', 'Retain'])
    .default('Delete')
    .describe('Whether the volume stays when the Agent is deleted.'),
});

const Placement = z.strictObject({
  nodeName: ObjectName.optional().describe('Node that the pod must run on.'),
  spread: z
    .enum(['Preferred', 'Required', 'None'])
    .default('Preferred')
    .describe(
      'Even spread of agents over the nodes: with Required, a pod stays pending rather than making the spread uneven.',
    ),
  onNodeLoss: z
    .enum(['Wait', 'MoveWithoutVolume'])
    .default('Wait')
    .describe('Action for a volume on a lost node: wait for the node, or start elsewhere with an empty volume.'),
});

const Isolation = z.strictObject({
  userNamespace: z
    .enum(['Required', 'Preferred'])
    .default('Preferred')
    .describe(
      'User namespace, which maps root of the pod to an unprivileged user of the node: with Required, the agent does not run without one.',
    ),
  runtimeClassName: ObjectName.optional().describe('RuntimeClass of the pod, for example gvisor.'),
});

const Loop = z.strictObject({
  every: Duration.default('30s').describe('Pause between two turns of the resident unless something wakes it.'),
});

export const AgentSpec = guarded(
  z.strictObject({
    displayName: text(64, 1).optional().describe('Name shown over the agent; its object name by default.'),
    persona: Persona.optional(),
    power: defaultWhenAbsent(Power, 'Awake').describe(
      'Power of the agent. Asleep: no pod, the volume stays. Awake by default.',
    ),
    rebootedAt: Timestamp.optional().describe(
      'Time of the last requested reboot: any change of this field restarts the agent.',
    ),
    entitlement: defaultWhenAbsent(EntitlementChoice, {}),
    runtime: Runtime.prefault({}),
    repository: Repository.optional(),
    memory: Memory.prefault({}),
    placement: Placement.prefault({}),
    isolation: Isolation.prefault({}),
    loop: Loop.prefault({}),
    model: ModelChoice.optional().describe("Model that the agent thinks with; the village's default if absent."),
    tools: ToolPolicy.optional().describe('Tools of the agent, and the rules of their use.'),
    mcpServers: McpServers.optional().describe(
      'MCP servers whose tools the agent may use. Changes apply after a reboot.',
    ),
    skills: Skills.optional().describe(
      'Skills of the agent, in the public format of folders with a SKILL.md. Changes apply after a reboot.',
    ),
    manifests: z
      .strictObject({
        configMapName: ObjectName.describe(
          'ConfigMap of the namespace with the label hamlet.village/manifests: "true", one key a manifest; workflow.yaml must be there.',
        ),
      })
      .optional()
      .describe('Manifests of the workflow of the agent. Changes apply to the next run.'),
    wake: z
      .enum(['OnMessage', 'Never'])
      .default('OnMessage')
      .describe("True if a member's message wakes the agent from idle sleep."),
    idleSleepAfter: Duration.optional().describe(
      'Time without runs, messages and schedules after which the agent falls asleep; never if absent.',
    ),
    egress: AgentEgress.optional().describe('Hosts outside of the village that the agent may reach.'),
    hands: Hands.optional().describe('Container in which the tools of the agent run.'),
    home: WorldId.optional().describe('Landmark to which the agent goes at night.'),
    a2a: z
      .strictObject({
        enabled: z.boolean().default(false).describe('True to serve the agent at /a2a/NAME; false by default.'),
        callbackHosts: z
          .array(Host)
          .max(MAX_CALLBACK_HOSTS)
          .optional()
          .describe(
            'Hosts to which the village sends changes of tasks over HTTPS, if a caller asks for it; none if absent.',
          ),
      })
      .optional()
      .describe('Calls by other systems over the Agent2Agent protocol.'),
    channels: z
      .strictObject({
        telegram: z
          .strictObject({
            secretName: ObjectName.describe(
              'Secret of the namespace with the label hamlet.village/channel: "true" and the token of the bot in the key token. channels.telegram.secretNames of the chart must list it.',
            ),
          })
          .optional()
          .describe('Bot of Telegram that speaks for the agent, to people of the village alone.'),
        slack: z
          .strictObject({
            secretName: ObjectName.describe(
              'Secret of the namespace with the label hamlet.village/channel: "true" and the tokens of the app in the keys ' +
                'app-token and bot-token. channels.slack.secretNames of the chart must list it.',
            ),
          })
          .optional()
          .describe('App of Slack that speaks for the agent, to people of the village alone.'),
      })
      .optional()
      .describe('Messengers through which people talk with the agent.'),
  }),
  [
    {
      rule: "!has(self.power) || self.power == 'Awake' || !has(self.rebootedAt) || (has(oldSelf.rebootedAt) && self.rebootedAt == oldSelf.rebootedAt)",
      message: 'an agent that is asleep cannot reboot: write power: Awake',
    },
  ],
);
export type AgentSpec = z.infer<typeof AgentSpec>;

const Counter = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Ids, counters and conditions, never text of agents. */
export const AgentStatus = z.strictObject({
  conditions: Conditions.optional(),
  observedGeneration: Counter.optional(),
  cycle: Counter.optional().describe(
    'Number of awakenings, reboots and suspensions; a resident of another cycle ends.',
  ),
  power: Power.optional().describe('Value of spec.power in this cycle.'),
  rebootedAt: Timestamp.optional().describe('Value of spec.rebootedAt in this cycle.'),
  tier: text(253).optional(),
  nodeName: text(253).optional(),
  podName: text(63).optional().describe('Pod of the cycle, once it exists.'),
  lastSeen: Timestamp.optional().describe('Time at which the resident last connected or disconnected.'),
  waitingSince: Timestamp.optional().describe(
    'Time since which the agent has waited for a seat: in each tier the longest wait comes first. Absent once it has a seat.',
  ),
});
export type AgentStatus = z.infer<typeof AgentStatus>;

export const Agent = guarded(
  z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal('Agent'),
    metadata: ObjectMeta,
    spec: AgentSpec,
    status: AgentStatus.optional(),
  }),
  [
    {
      holds: ({ metadata }) => metadata.name.length <= MAX_AGENT_NAME_CHARS && AGENT_NAME.test(metadata.name),
      rule: `self.metadata.name.size() <= ${MAX_AGENT_NAME_CHARS} && self.metadata.name.matches('${AGENT_NAME.source}')`,
      message: `name an Agent with at most ${MAX_AGENT_NAME_CHARS} lower case letters, digits and '-', a letter first`,
    },
  ],
);
export type Agent = z.infer<typeof Agent>;
