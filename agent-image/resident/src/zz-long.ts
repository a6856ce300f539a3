import { spawn } from 'node:child_process';
import { readFileSync, mkdtempSync, rmSync } from 'node:fs';
import { startHttpApi } from './testing/http-api.ts';
const api = await startHttpApi(+process.env['EVERY']!);
const vol = mkdtempSync('/tmp/meas/v-');
const c = spawn(process.execPath, [...process.argv.slice(2), 'agent-image/resident/src/main.ts'], { stdio: ['ignore','ignore','inherit'], env: { ...process.env, HAMLET_API_URL: api.url, HAMLET_AGENT_ID: 'ada', HAMLET_CYCLE: '1', HAMLET_AGENT_TOKEN: 't', HAMLET_STATE_DIR: vol, HAMLET_MEMORY_DIR: vol, HAMLET_WORKSPACE_DIR: vol } });
const rss=()=>+(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${c.pid}/status`,'utf8'))![1]!)/1024;
for (let s=0;s<240;s+=20) { await new Promise(r=>setTimeout(r,20000)); api.requests.length=0; process.stdout.write(rss().toFixed(1)+' '); }
c.kill('SIGTERM'); await api.close(); rmSync(vol,{recursive:true});process.exit(0);
