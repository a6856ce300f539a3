import type { Permission } from '@hamlet/contract';
import { age } from '../table.ts';
import { printable } from './printable.ts';

const ASKS: Readonly<Record<Permission['why'], string>> = {
  policy: 'asks for permission',
  unknown: 'does not know whether a call happened, and asks what to do',
  question: 'asks a question',
};

function argumentLines(text: string): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n');
  } catch {
    return [text];
  }
}

/** A permission with its arguments, as a person must see it before answering. Pure. */
export function permissionLines(permission: Permission, nowMs: number): readonly string[] {
  const { agent_id: agent, tool, why, question, reason, expires_at: expires } = permission;
  const subject =
    question === null ? [tool, ...argumentLines(permission.arguments).map((line) => `  ${line}`)] : [question];
  return [
    `${agent} ${ASKS[why]} (${permission.state}, expires ${age(expires, nowMs)})`,
    ...subject.map((line) => `  ${printable(line)}`),
    ...(question === null && reason !== '' ? [`  reason: ${printable(reason)}`] : []),
    `  id: ${permission.permission_id}`,
  ];
}

export function answerHint({ permission_id: id, why }: Permission): string {
  if (why === 'question')
    return `kubectl hamlet approve ${id} --reply="…"   or   kubectl hamlet deny ${id} --reply="…"`;
  if (why === 'unknown')
    return `kubectl hamlet approve ${id} --happened   or --repeat   or   kubectl hamlet deny ${id} --reply="…"`;
  return `kubectl hamlet approve ${id}   or   kubectl hamlet deny ${id} --reply="…"`;
}
