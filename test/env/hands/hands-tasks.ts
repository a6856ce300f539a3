/** Tasks for the hands of an agent, each with the steps of a model that does it. */
import { MISTAKE, REPAIRED } from './small-repository.ts';
import type { Step } from './stepped-mind.ts';
import type { RequestListener } from 'node:http';

export interface Bakery {
  readonly listener: RequestListener;
  /** Bodies of the orders, oldest first. */
  readonly orders: string[];
}

const PAGES: Readonly<Record<string, string | undefined>> = {
  '/': '<!doctype html><title>Bakery</title><h1>Bakery</h1><p>Rye costs 4.20. <a href="/order">Order</a></p>',
  '/order':
    '<!doctype html><title>Order</title><h1>Order</h1><form method="post" action="/order"><label>Loaf <input name="loaf"></label> <button>Order</button></form>',
};

export function startBakery(): Bakery {
  const orders: string[] = [];
  const listener: RequestListener = (request, response) => {
    const { method, url = '' } = request;
    const html = (body: string): void => void response.setHeader('content-type', 'text/html; charset=utf-8').end(body);
    if (method === 'POST')
      return void request.toArray().then((parts) => {
        orders.push(Buffer.concat(parts).toString());
        html('<!doctype html><title>Thanks</title><h1>Thanks</h1><p>A rye loaf is yours.</p>');
      });
    if (url === '/prices.json')
      return void response.setHeader('content-type', 'application/json').end('{"rye":"4.20"}');
    const page = PAGES[url];
    if (page === undefined) response.writeHead(404).end();
    else html(page);
  };
  return { listener, orders };
}

/** Clone, repair, patch. */
export const REPAIR = 'Clone your repository, make the failing test pass, push a branch and open a patch on the board.';
export const REPAIR_POST = 'No cent of a bill is lost';
export const REPAIR_PATCH = 'no-cent-lost.patch';
/** A task whose words name no tool. */
export const PRIMES = 'Write a Python program that prints the first ten primes, run it and tell me the output.';
/** A task for network tools that follows a skill. */
export const ORDER = 'Order a rye loaf from the bakery as our house style says, and show me a picture.';

/** A fact about the repository, and a question to every agent that works in it. */
export const REMEMBER = 'Remember what you learnt about this repository.';
export const FACT = 'Shares of a bill are in cents.';
export const RECALL = 'What is known about this repository?';

const PROGRAM = `found = []
number = 2
while len(found) < 10:
    if all(number % prime for prime in found):
        found.append(number)
    number += 1
print(*found)
`;

const TESTS = { command: 'python3 -m pytest -q' };
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const idIn = (result = ''): string => UUID.exec(result)?.[0] ?? 'none';

export const repairBranch = (agentId: string): string => `hamlet/${agentId}/no-cent-lost`;

/** The steps of {@link REPAIR}, in the folder of the repository below the workspace. */
export const repairSteps = (agentId: string, folder: string): readonly Step[] => [
  {
    after: /^$/,
    says: 'I clone it and look at its history.',
    calls: () => ['git', { action: 'log', args: ['--oneline'] }],
  },
  { after: /Split a bill/, says: 'I run its tests.', calls: () => ['shell', TESTS] },
  {
    after: /No module named pytest/,
    says: 'I need pytest.',
    calls: () => ['shell', { command: 'pip install pytest' }],
  },
  { after: /Successfully installed .*pytest/, says: 'Again.', calls: () => ['shell', TESTS] },
  {
    after: /test_no_cent_is_lost[^]*1 failed, 1 passed/,
    says: 'The rest of the division is lost.',
    calls: () => ['edit_file', { path: `${folder}/purse/bill.py`, old_text: MISTAKE, new_text: REPAIRED }],
  },
  { after: /\+ {4}share, left = divmod/, says: 'Now the tests.', calls: () => ['shell', TESTS] },
  {
    after: /2 passed/,
    says: 'They pass. I make a branch.',
    calls: () => ['git', { action: 'switch', args: ['-c', repairBranch(agentId)] }],
  },
  {
    after: /Switched to a new branch/,
    says: '',
    calls: () => ['git', { action: 'commit', args: ['--all'], message: 'fix: no cent of a bill is lost' }],
  },
  { after: /1 file changed/, says: 'I push it.', calls: () => ['git', { action: 'push' }] },
  {
    after: /\[new branch\]/,
    says: 'I deliver the patch.',
    calls: () => ['deliver', { kind: 'patch', path: folder, base: 'origin/main', name: REPAIR_PATCH }],
  },
  {
    after: /Delivered no-cent-lost\.patch/,
    says: 'And I post it.',
    calls: (results) => [
      'post_to_board',
      {
        title: REPAIR_POST,
        body: `Shares of a bill add up to the bill again: the rest goes to the first people. Both tests pass; the branch is ${repairBranch(agentId)}.`,
        tags: ['report'],
        deliverables: [idIn(results.at(-1))],
      },
    ],
  },
  {
    after: UUID,
    says: 'The test passes, and the patch is on the board: ',
    ends: (result) => `/?view=board&post=${idIn(result)}`,
  },
];

export const PRIMES_STEPS: readonly Step[] = [
  { after: /^$/, says: 'I write it.', calls: () => ['write_file', { path: 'primes.py', content: PROGRAM }] },
  { after: /primes\.py is written/, says: '', calls: () => ['shell', { command: 'python3 /workspace/primes.py' }] },
  {
    after: /stdout:\n[\d ]+\n/,
    says: 'The program printed: ',
    ends: (result) => /stdout:\n([\d ]+)\n/.exec(result)?.[1] ?? '',
  },
];

export const REMEMBER_STEPS: readonly Step[] = [
  { after: /^$/, says: '', calls: () => ['remember', { text: FACT }] },
  { after: /Remembered as m-/, says: 'I keep it.' },
];

export const RECALL_STEPS: readonly Step[] = [
  {
    after: /^$/,
    says: 'I look at the file for programs first.',
    calls: () => ['shell', { command: 'touch "$(dirname "$MEMORY_FILE_PATH")/probe" && echo writable' }],
  },
  { after: /writable/, says: '', calls: () => ['list_memories', {}] },
  { after: /m-|remembered/, says: 'This is known: ', ends: (result) => result },
];

const refOf = (results: readonly string[], words: RegExp): string => {
  const line =
    results
      .at(-1)
      ?.split('\n')
      .find((each) => words.test(each)) ?? '';
  return /\[ref=((?:f\d+)?e\d+)\]/.exec(line)?.[1] ?? 'none';
};

/** The steps of {@link ORDER} at a bakery's address. */
export const orderSteps = (bakery: string): readonly Step[] => [
  {
    after: /^$/,
    says: 'I read the house style first.',
    calls: () => ['load_skill', { name: 'house-style', why: 'The person names it' }],
  },
  {
    after: /Compare the price list with the page/,
    says: 'It says to compare page and price list.',
    calls: () => ['web_fetch', { url: `${bakery}/` }],
  },
  { after: /Rye costs 4\.20/, says: '', calls: () => ['http', { url: `${bakery}/prices.json` }] },
  { after: /"rye":"4\.20"/, says: 'They agree.', calls: () => ['browser_open', { url: `${bakery}/order` }] },
  {
    after: /textbox "Loaf"/,
    says: '',
    calls: (results) => ['browser_fill', { ref: refOf(results, /textbox "Loaf"/), value: 'Rye' }],
  },
  {
    after: /button "Order"/,
    says: 'The form is filled in.',
    calls: (results) => ['browser_click', { ref: refOf(results, /button "Order"/), sends: true }],
  },
  { after: /A rye loaf is yours/, says: '', calls: () => ['browser_screenshot', {}] },
  { after: /picture|screenshot/i, says: `Ordered: a rye loaf for 4.20, as ${bakery}/ and its price list say.` },
];
