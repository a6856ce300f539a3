import { parseAiDollars } from '@hamlet/contract';
import type { EconomyRules } from '../money/ledger/judgement.ts';
import type { VillageSettings } from './village-settings.ts';

/** Rules of the economy that follow the settings: read a rule when it applies, and keep no copy. */
export function economyRules(
  { rewardLimit }: Pick<EconomyRules, 'rewardLimit'>,
  settings: Pick<VillageSettings, 'values'>,
): EconomyRules {
  return {
    rewardLimit,
    get timeZone() {
      return settings.values.time_zone;
    },
    get dailyAllowance() {
      return parseAiDollars(settings.values.daily_allowance);
    },
  };
}
