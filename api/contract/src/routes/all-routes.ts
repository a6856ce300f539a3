import type { RouteSpec } from '../route.ts';
import { bootstrapAccount, getMe, logIn, logOut } from './accounts.ts';
import { actAsAgent } from './actions.ts';
import { awakenAgent, getAgent, listAgents, rebootAgent, suspendAgent } from './agents.ts';
import { closeAgent, openInternalStream } from './internal.ts';
import { moveAgent } from './moves.ts';
import { exchangeAgentToken, getAgentConfig, listTurns, openWakes, recordTurn } from './resident.ts';
import { getDocs, getLivez, getOpenApi, getReadyz } from './service.ts';
import { getWorld, getWorldMap } from './world.ts';

/** Every route there is. Mount, OpenAPI, permission matrix and tests walk this list. */
export const ROUTES = [
  getWorld,
  getWorldMap,
  moveAgent,
  actAsAgent,
  listAgents,
  getAgent,
  awakenAgent,
  suspendAgent,
  rebootAgent,
  listTurns,
  exchangeAgentToken,
  getAgentConfig,
  openWakes,
  recordTurn,
  bootstrapAccount,
  logIn,
  logOut,
  getMe,
  openInternalStream,
  closeAgent,
  getLivez,
  getReadyz,
  getOpenApi,
  getDocs,
] as const satisfies readonly RouteSpec[];
