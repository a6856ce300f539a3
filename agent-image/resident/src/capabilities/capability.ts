import { connect } from 'node:net';
import { CAPABILITY_NAME_MAX_CHARS, CAPABILITY_TEXT_MAX_CHARS } from '@hamlet/contract/resident';
import type { AgentConfig, Capability, CapabilityKind } from '@hamlet/contract';
import { installLabel, mindLabel } from '@hamlet/core/mind';
import { shorten } from '@hamlet/core/shorten';
import type { Machine } from '../engine/machine.ts';
import { runtimeNameOf, type Obtained } from '../runtime/runtime-pool.ts';
import type { Village } from '../village/village.ts';

export type Subject = CapabilityKind | readonly [kind: CapabilityKind, name: string];

const fitting = (text: string): string =>
  shorten(text.toWellFormed().replaceAll(/\s+/g, ' ').trim(), CAPABILITY_TEXT_MAX_CHARS);

function named(subject: Subject): Pick<Capability, 'kind' | 'name'> {
  const [kind, name] = typeof subject === 'string' ? [subject, subject] : subject;
  return { kind, name: name.slice(0, CAPABILITY_NAME_MAX_CHARS) };
}

export const has = (subject: Subject, why: string): Capability => ({
  ...named(subject),
  ok: true,
  why: fitting(why),
  fix: null,
});

export const lacks = (subject: Subject, why: string, fix: string): Capability => ({
  ...named(subject),
  ok: false,
  why: fitting(why),
  fix: fitting(fix),
});

const CONNECT_MS = 5_000;
const FIX = 'check that the broker runs (kubectl get pods) and that the network policy admits agents';

/** Reports if the broker, the only way out of the pod, accepts a connection. Empty in a village without a broker. */
export async function brokerCapability(broker: URL | null, hasProxy: boolean): Promise<readonly Capability[]> {
  if (broker === null) return [];
  if (!hasProxy)
    return [
      lacks('egress', 'the proxy of the pod did not start', 'read the log of the resident, then reboot the agent'),
    ];
  const fault = await faultOf(broker);
  return [fault === null ? has('egress', `${broker.host} accepts connections`) : lacks('egress', fault, FIX)];
}

function faultOf({ hostname, port, host }: URL): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port === '' ? 80 : port), timeout: CONNECT_MS });
    const end = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`the broker ${host} does not answer`));
    socket.once('error', ({ message }) => end(`the broker ${host} cannot be reached: ${message}`));
  });
}

type Promised = Pick<AgentConfig, 'repository' | 'mcp_servers' | 'can_browse'>;

/** Programs that drive a browser: a server that starts one of them counts as a promised browser. */
const BROWSER_SERVER = /playwright|chrome-devtools|puppeteer/;

/** The promised parts of the machine, present or missing. A pod without hands is promised none. Pure. */
export function machineCapabilities(hands: Machine['hands'], promised: Promised): readonly Capability[] {
  if (hands === null) return [];
  if (hands === 'silent')
    return [
      lacks('hands', 'the hands did not answer', 'look at the condition HandsReady and the log of the container hands'),
    ];
  const { programs } = hands;
  return [
    has('hands', `the hands answer; ${programs.length} known programs`),
    has('shell', 'the hands run commands'),
    ...gitIn(programs, promised),
    ...browserIn(programs, promised),
  ];
}

type Programs = readonly string[];

function gitIn(programs: Programs, { repository }: Promised): readonly Capability[] {
  if (programs.includes('git')) return [has('git', 'git is installed')];
  if (repository === null) return [];
  return [lacks('git', 'the image of the hands has no git', 'use the image of agents, or add git to spec.hands.image')];
}

/** A tier without the memory for a browser promises none. */
function browserIn(
  programs: Programs,
  { mcp_servers: servers, can_browse: canBrowse }: Promised,
): readonly Capability[] {
  if (programs.includes('chromium')) return canBrowse ? [has('browser', 'Chromium is installed')] : [];
  const isPromised = servers.some(({ command }) => command?.some((word) => BROWSER_SERVER.test(word)) === true);
  if (!isPromised && !programs.includes('playwright')) return [];
  return [lacks('browser', 'the image of the hands has no Chromium', 'install the full image: agentPods.tools=full')];
}

const MODEL_FIX = 'connect a model on the page Models, or name one in spec.model that the tier allows';

/** Reports if the agent has the model that its runtime needs, and if the gateway serves it now. */
export async function modelCapability(
  village: Pick<Village, 'models'>,
  config: Pick<AgentConfig, 'model' | 'runtime'>,
): Promise<readonly Capability[]> {
  const { model } = config;
  if (model === null || model.scripted) {
    if (runtimeNameOf(config) !== 'engine') return [];
    return [
      lacks(
        'model',
        `the runtime engine needs a language model, and there is none: ${model?.reason ?? 'the tier allows none that is served'}`,
        MODEL_FIX,
      ),
    ];
  }
  const answer = await village.models();
  if (answer.kind === 'unreachable')
    return [lacks('model', `the gateway did not answer: ${answer.why}`, 'check that the API runs')];
  if (answer.kind !== 'ok') return [];
  return answer.value.includes(model.name)
    ? [has('model', `${model.name}, by ${model.provider}`)]
    : [lacks('model', `the gateway does not serve ${model.name} to this agent now`, MODEL_FIX)];
}

const RUNTIME_FIX = 'correct spec.runtime as the finding says';

/** Reports if the runtime started, and its mind. */
export function runtimeCapability(obtained: Obtained): Capability {
  const { name, mind } = obtained;
  const subject = ['runtime', name] as const;
  // Readers of a capability add the fix after a semicolon, so the finding has no full stop.
  if (!obtained.ok) return { ...lacks(subject, obtained.warning.message.replace(/\.$/, ''), RUNTIME_FIX), mind };
  const install = installLabel(mind);
  return { ...has(subject, install === null ? mindLabel(mind) : `${mindLabel(mind)}. ${install}`), mind };
}
