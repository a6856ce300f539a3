/** `make doctor`: looks at everything and says how to fix what is wrong. */
import { styleText } from 'node:util';
import type { Settings } from '../settings.ts';
import type { Check, Finding } from './check.ts';
import { MACHINE_CHECKS } from './machine.ts';
import { villageChecks } from './village.ts';

/** Prints one line a check; returns whether everything that `make up` needs is there. */
export async function doctor(settings: Settings): Promise<boolean> {
  console.log('What make up needs from the machine');
  const machine = await show(MACHINE_CHECKS);
  console.log('\nWhat make up and make test bring, and the village now');
  await show(villageChecks(settings));
  console.log(machine ? '\nThis machine can run the village.' : '\nThis machine cannot run the village yet.');
  return machine;
}

async function show(checks: readonly Check[]): Promise<boolean> {
  let fine = true;
  for (const check of checks) {
    const finding = await look(check);
    fine &&= finding.ok || !check.required;
    const mark = finding.ok ? styleText('green', '✓') : styleText('red', '✗');
    console.log(`  ${mark} ${check.name}: ${finding.found}`);
    if (!finding.ok && finding.fix !== undefined) console.log(`      fix: ${finding.fix}`);
  }
  return fine;
}

async function look(check: Check): Promise<Finding> {
  try {
    return await check.look();
  } catch (error) {
    return { ok: false, found: error instanceof Error ? error.message : String(error) };
  }
}
