import { createClient, getWorld, moveAgent } from '@hamlet/contract';

const village = createClient({ baseUrl: 'http://localhost:8080', token: process.env['TOKEN'] ?? '' });
const world = await village.call(getWorld, {});
if (world.ok) console.log(world.data.agents.length);

const moved = await village.call(moveAgent, { params: { agent_id: 'ada' }, body: { landmark_id: 'board' } });
if (!moved.ok) console.log(moved.problem.code, moved.problem.detail);
