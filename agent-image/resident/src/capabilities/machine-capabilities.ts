import type { AgentConfig, Capability } from '@hamlet/contract';
import type { Machine } from '../engine/machine.ts';
import { has, lacks } from './capability.ts';

type Promised = Pick<AgentConfig, 'repository' | 'mcp_servers'>;

/** Programs that drive a browser: a server that starts one of them promises a browser. */
const BROWSER_SERVER = /playwright|chrome-devtools|puppeteer/;

/** The promised parts of the machine, there or missing. A pod without hands was promised none. Pure. */
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

function browserIn(programs: Programs, { mcp_servers: servers }: Promised): readonly Capability[] {
  if (programs.includes('chromium')) return [has('browser', 'Chromium is installed')];
  const isPromised = servers.some(({ command }) => command?.some((word) => BROWSER_SERVER.test(word)) === true);
  if (!isPromised && !programs.includes('playwright')) return [];
  return [lacks('browser', 'the image of the hands has no Chromium', 'install the full image: agentPods.tools=full')];
}
