import type { CallReport, HandsCall } from '@hamlet/contract';
import { RUN_ID } from '../../client/minds/minds.fixture.ts';

export function aHandsCall(minute: number, report: CallReport | null, more: Partial<HandsCall> = {}): HandsCall {
  return {
    run_id: RUN_ID,
    call_id: `${minute}.0`,
    agent_id: 'ada',
    tool: 'write_file',
    state: 'ended',
    begun_at: `2026-11-23T12:0${minute}:00Z`,
    ended_at: `2026-11-23T12:0${minute}:01Z`,
    outcome: { kind: 'ok' },
    arguments: '{}',
    report,
    ...more,
  };
}
