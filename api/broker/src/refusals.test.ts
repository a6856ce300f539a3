/**
 * Every case in which the broker refuses an attempt or ends it early, and the one line that each leaves in the record.
 * The last tests fail if the sources contain a refusal without a case here.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { RUN, TestBroker } from './testing/a-broker.ts';
import { PUBLIC, startInternet, type Internet } from './testing/an-internet.ts';
import { endpoints, writes } from './testing/refused/endpoints.ts';
import { ends } from './testing/refused/ends.ts';
import { judged } from './testing/refused/judged.ts';
import { Pod } from './testing/refused/pod.ts';
import { unadmitted } from './testing/refused/unadmitted.ts';
import { unserved } from './testing/refused/unserved.ts';
import { POLICY, type Way } from './testing/refused/way.ts';
import { Authority } from './tls/authority.ts';

const WAYS: Readonly<Record<string, Way>> = { ...unserved, ...unadmitted, ...judged, ...endpoints, ...writes, ...ends };
const SOURCES = import.meta.dirname;
const RULES = ['judge-egress.ts', 'judge-wire.ts', 'wire-headers.ts'].map((file) =>
  resolve(SOURCES, '../../core/src/egress', file),
);

let internet: Internet;
let broker: TestBroker;

const serve: RequestListener = (request, response) => {
  if (request.url === '/hang') response.write('begun');
  else if (request.url === '/reset') request.socket.destroy();
  else if (request.url === '/echo') response.setHeader('x-echo', String(request.headers.authorization)).end();
  else if (request.url === '/part') response.writeHead(206).end('par');
  else response.end('ok');
};

class FailingAuthority extends Authority {
  override context(host: string): ReturnType<Authority['context']> {
    return host === 'uncertain.org' ? Promise.reject(new Error('no certificate')) : super.context(host);
  }
}

before(async () => {
  internet = await startInternet();
  await internet.serveHttps('open.org', serve);
  await internet.serveHttp('plain.org', serve);
  (await internet.serveTcp(9443)).on('connection', (socket) => socket.on('error', () => undefined).end('no TLS\r\n'));
  for (const { host } of POLICY.allow) if (host !== 'nowhere.org') internet.names.set(host, [PUBLIC]);
  internet.names.set('lan.org', [PUBLIC, '192.168.1.1']);
  broker = await TestBroker.start(internet, { authorityOf: (files) => new FailingAuthority(files, Date.now) });
});
after(() => {
  broker.close();
  internet.close();
});

/** The lines of an agent that were refused or ended early, with their codes. */
function linesOf(agent: string) {
  const { attempts, ends: ended } = broker.village;
  return attempts
    .filter((attempt) => attempt.agent === agent)
    .map(({ id, refused, ...attempt }) => {
      const cutOff = ended.find((end) => end.id === id)?.refused ?? null;
      return { ...attempt, code: refused ?? cutOff };
    })
    .filter(({ code }) => code !== null)
    .map(({ run, call, form, host, port, method, path, code }) => ({
      run,
      call,
      form,
      host,
      port,
      method,
      path,
      code,
    }));
}

for (const [at, [name, { code, says, silent, policy = POLICY, tries, line }]] of Object.entries(WAYS).entries()) {
  const agent = `agent-${String(at)}`;
  test(`${name}: ${code}, ${line === null ? 'with no agent to record' : 'recorded once'}`, async () => {
    broker.village.addAgent(agent, policy);
    const pod = new Pod(broker, { agent, roots: internet.roots });
    try {
      const read = await tries(pod);
      if (silent === true) assert.doesNotMatch(read, /egress_/);
      else assert.ok(read.includes(code) && read.includes(says), read);
      if (line !== null) await until('it is recorded', async () => linesOf(agent).length > 0);
    } finally {
      pod.close();
      broker.village.stop(`uid-${agent}`);
    }
    assert.deepEqual(linesOf(agent), line === null ? [] : [{ run: RUN, call: 'call-1', ...line, code }]);
  });
}

test('each attempt leaves exactly one line, and each line belongs to an agent of the table', async () => {
  await until('no connection is open', async () => broker.open === 0);
  for (const [at, [name, { line }]] of Object.entries(WAYS).entries())
    assert.equal(linesOf(`agent-${String(at)}`).length, line === null ? 0 : 1, name);
  assert.deepEqual([...new Set(broker.village.attempts.map(({ agent }) => agent.replace(/\d+$/, '')))], ['agent-']);
});

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file))
  .map((file) => ({ file, text: readFileSync(join(SOURCES, file), 'utf8') }));

interface Denial {
  readonly file: string;
  readonly code: string;
  /** The reason as a literal; null if it is a variable. */
  readonly reason: string | null;
}

function denialsIn({ file, text }: { readonly file: string; readonly text: string }): readonly Denial[] {
  return [...text.matchAll(/\bdeny\(\s*'(egress_\w+)',\s*(?:(['`])((?:(?!\2)[^])*)\2)?/g)].map(
    ([, code = '', , reason = null]) => ({ file, code, reason }),
  );
}

test('the table has a case for each denial in the sources of the broker and its rules', () => {
  const rules = RULES.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const denials = [...sources, ...rules].flatMap(denialsIn);
  assert.ok(denials.length > 30, String(denials.length));
  const ways = Object.values(WAYS);
  const missing = denials.filter(
    ({ code, reason }) => !ways.some((way) => way.code === code && (reason === null || reason.includes(way.says))),
  );
  // A refusal by the server; the record contains its status.
  const ofServer = missing.filter(({ reason }) => reason?.startsWith('the server refused the push with') === true);
  assert.deepEqual(
    missing.filter((denial) => !ofServer.includes(denial)),
    [],
  );
  assert.equal(ofServer.length, 1);
});

/** Number of refusals in each source file: a new one needs a line in the record, a case in the table, and its count here. */
const ANSWERS: Readonly<Record<string, number>> = {
  'broker.ts': 7,
  'proxy/exchange.ts': 1,
  'proxy/forward.ts': 2,
  'proxy/git-guard.ts': 1,
  'proxy/tunnel.ts': 3,
  'reverse/reverse.ts': 1,
};

test('the sources answer with refusals only at the counted places', () => {
  const found = sources.flatMap(({ file, text }) => {
    const count = [...text.matchAll(/(?<!function )\brefuse(?:Connect|Request)\(/g)].length;
    return count === 0 ? [] : [[file, count] as const];
  });
  assert.deepEqual(Object.fromEntries(found), ANSWERS);
});
