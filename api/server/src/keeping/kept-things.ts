import { AWAY_DAYS_MAX, type KeptThing } from '@hamlet/contract';
import { PAUSES_KEPT_DAYS } from '@hamlet/store';

/** Days of retention that the operator sets; 0 keeps permanently, for `modelTexts` it keeps none. */
export interface KeptDays {
  readonly turns: number;
  readonly sessions: number;
  readonly egress: number;
  readonly modelTexts: number;
}

/** A rule about tables. Together the rules name every table of the migrations; a test compares them. */
export interface KeepingRule extends Pick<KeptThing, 'id' | 'title' | 'until' | 'rule'> {
  readonly tables: readonly string[];
  readonly deletedBy?: string;
  readonly days?: number;
  /** The setting that changes the days, with its value in the chart. */
  readonly setting?: {
    readonly key: keyof KeptDays;
    readonly value: string;
    /** The meaning of 0 days, as a sentence. */
    readonly zero: string;
  };
}

const FOREVER = 'The setting is 0: they stay permanently.';

const publicTables = (names: string): readonly string[] => names.split(' ').map((name) => `public.${name}`);
const ledgerTables = (names: string): readonly string[] => names.split(' ').map((name) => `ledger.${name}`);
const boardTables = (names: string): readonly string[] => names.split(' ').map((name) => `board.${name}`);

/** Tables whose rows stay permanently. */
const RECORDS: readonly KeepingRule[] = [
  {
    id: 'books',
    title: 'Ledger',
    until: 'permanent',
    rule: 'Every transfer and hold, with its entries. The sealed log proves them.',
    tables: ledgerTables('account entry transfer hold resolution reversal circumstance proof proven_account'),
  },
  {
    id: 'acts',
    title: 'Audit',
    until: 'permanent',
    rule: 'Every act of people, agents and the operator. The sealed log proves them.',
    tables: publicTables('audit'),
  },
  {
    id: 'log',
    title: 'Sealed log',
    until: 'permanent',
    rule: 'Hashes and signed checkpoints; about 40 bytes an entry.',
    tables: ['log.checkpoint', 'log.head', 'log.tile'],
  },
  {
    id: 'turns',
    title: 'Turns of agents',
    until: 'permanent',
    rule: 'A row of about 200 bytes a turn stays. Its text goes after these days.',
    deletedBy: 'turn-retention',
    setting: { key: 'turns', zero: FOREVER, value: 'api.turnDays' },
    tables: publicTables('turn'),
  },
  {
    id: 'world',
    title: 'History of the map',
    until: 'permanent',
    rule: 'Every event of the world and packed movements, so that any moment can be replayed; of snapshots, the newest eight.',
    tables: publicTables('world_event world_move_chunk world_snapshot world_map world_lease'),
  },
  {
    id: 'board',
    title: 'Board',
    until: 'permanent',
    rule: 'Posts, replies, their earlier texts, flags and decisions.',
    tables: boardTables('post reply revision flag moderation world_cursor'),
  },
  {
    id: 'payments',
    title: 'Payments',
    until: 'permanent',
    rule: 'Deposits, what the provider reported, and differences.',
    tables: publicTables(
      'deposit difference paypal_capture paypal_event paypal_taking provider_statement provider_transaction',
    ),
  },
  {
    id: 'trade',
    title: 'Market',
    until: 'permanent',
    rule: 'Purchases, auctions, bids and windows of GPUs.',
    tables: publicTables('purchase auction bid gpu_window'),
  },
  {
    id: 'people',
    title: 'Accounts',
    until: 'permanent',
    rule: 'Accounts and bans. An account is closed, never deleted, because the audit names it.',
    tables: publicTables('account account_ban account_hand'),
  },
  {
    id: 'measures',
    title: 'Measures and personalities',
    until: 'permanent',
    rule: 'Every restriction of an agent, every freeze of the village, and each version of a personality.',
    tables: publicTables('standing_measure village_freeze personality'),
  },
];

const BY_AGE: readonly KeepingRule[] = [
  {
    id: 'sessions',
    title: 'Conversations',
    until: 'age',
    rule: 'Until a person ends one; its texts go after these days, its rows a year later. A conversation has its newest 5,000 events.',
    deletedBy: 'session-retention',
    setting: { key: 'sessions', zero: FOREVER, value: 'api.sessionDays' },
    tables: publicTables('session session_message session_event session_look session_person a2a_context'),
  },
  {
    id: 'egress',
    title: 'Requests to the outside',
    until: 'age',
    rule: 'Every attempt of an agent to reach a host; sums of an hour stay two hours.',
    deletedBy: 'egress-retention',
    setting: { key: 'egress', zero: FOREVER, value: 'egress.days' },
    tables: publicTables('egress_attempt egress_hour'),
  },
  {
    id: 'model-texts',
    title: 'Prompts and answers',
    until: 'age',
    rule: 'Only if the operator keeps them, for admins alone.',
    deletedBy: 'lost-model-requests',
    setting: { key: 'modelTexts', zero: 'The setting is 0: none are kept.', value: 'models.textDays' },
    tables: publicTables('model_text'),
  },
  {
    id: 'model-requests',
    title: 'Requests to models',
    until: 'age',
    rule: 'Tokens, cost and outcome of each request; its money stays in the ledger.',
    deletedBy: 'lost-model-requests',
    days: 90,
    tables: publicTables('model_request'),
  },
  {
    id: 'artifacts',
    title: 'Deliverables',
    until: 'age',
    rule: 'Files that agents keep for people, until each expires.',
    deletedBy: 'retention',
    tables: publicTables('artifact artifact_content'),
  },
  {
    id: 'pauses',
    title: 'Pauses of agents',
    until: 'age',
    rule: 'One row for each time an agent waited because its node was short of memory.',
    deletedBy: 'memory-guard',
    days: PAUSES_KEPT_DAYS,
    tables: publicTables('agent_pause'),
  },
  {
    id: 'judged-calls',
    title: 'Judged calls',
    until: 'age',
    rule: 'Calls of tools with the verdict about them, for trials of proposed rules.',
    deletedBy: 'retention',
    days: 8,
    tables: publicTables('judged_call'),
  },
  {
    id: 'deliveries',
    title: 'Notifications of PayPal',
    until: 'age',
    rule: 'Verified ones; refused ones go after 7 days.',
    deletedBy: 'delivery-retention',
    days: 400,
    tables: publicTables('paypal_delivery'),
  },
  {
    id: 'news',
    title: 'News of the board',
    until: 'age',
    rule: 'The newest 20,000 events; news for agents go after these days; drafts for the world go when they are written.',
    deletedBy: 'board-retention',
    days: 30,
    tables: boardTables('news event outbox'),
  },
  {
    id: 'repeats',
    title: 'Answers for repeated requests',
    until: 'age',
    rule: 'For a day, so that a repeated request gets the first answer; also internal events for an hour.',
    deletedBy: 'retention',
    days: 1,
    tables: publicTables('idempotency_key cluster_write internal_event tried_provider'),
  },
  {
    id: 'looks',
    title: 'Marks of reading',
    until: 'age',
    rule: 'The time of each last look at a post or conversation; of the village, one time for each person stays.',
    deletedBy: 'retention',
    days: AWAY_DAYS_MAX,
    tables: publicTables('person_seen'),
  },
  {
    id: 'sign-in',
    title: 'Sign-ins and codes',
    until: 'age',
    rule: 'Until they expire or end; keys of programs too.',
    deletedBy: 'retention',
    tables: publicTables('account_session account_code account_key oidc_attempt agent_session api_replica'),
  },
];

const BY_COUNT: readonly KeepingRule[] = [
  {
    id: 'runs',
    title: 'Runs',
    until: 'count',
    rule: 'Per agent the newest 1,000 ended runs and 100 workers, of a Schedule its historyLimit, with their events, files, permissions, calls and journals.',
    deletedBy: 'run-retention',
    tables: publicTables(
      'run run_event run_file run_offer run_output run_skill_set run_taint skill_load permission effect hands_call journal_entry payload a2a_callback workflow_manifests',
    ),
  },
  {
    id: 'firings',
    title: 'Firings of Schedules',
    until: 'count',
    rule: 'The newest 20,000 of a Schedule; all of one that has not fired for 90 days go.',
    deletedBy: 'firing-retention',
    tables: publicTables('firing schedule_state'),
  },
  {
    id: 'repository-memory',
    title: 'Memory of repositories',
    until: 'count',
    rule: 'A bounded number of entries for each repository; people forget single entries or all.',
    deletedBy: 'the next entry',
    tables: publicTables('repository_memory repository_memory_entry repository_memory_look repository_memory_rate'),
  },
  {
    id: 'fences',
    title: 'Leaders of the operator',
    until: 'count',
    rule: 'The newest 1,000 replaced ones.',
    deletedBy: 'the next leader',
    tables: publicTables('operator_fence'),
  },
];

const WITH_OWNER: readonly KeepingRule[] = [
  {
    id: 'memories',
    title: 'Memory of agents',
    until: 'owner',
    rule: 'A copy of what each agent remembers, its marks and always-allow rules: these days longer than the agent.',
    deletedBy: 'run-retention',
    days: 90,
    tables: publicTables(
      'agent_memory agent_memory_command agent_memory_look agent_memory_state memory_taint journal_size allow_rule',
    ),
  },
  {
    id: 'scripts',
    title: 'Scripts of agents',
    until: 'owner',
    rule: 'Until an agent deletes one, or its next life begins.',
    deletedBy: 'the agent',
    tables: publicTables('script script_version'),
  },
  {
    id: 'messengers',
    title: 'Messengers',
    until: 'owner',
    rule: 'Accounts at messengers until their person unlinks them; their conversations and open runs go with these.',
    deletedBy: 'the person',
    tables: publicTables('channel_identity channel_code channel_session channel_run'),
  },
  {
    id: 'notices',
    title: 'Addresses for notices',
    until: 'owner',
    rule: 'The confirmed address and the browsers of a person, until they forget them; and the names of the needs that the last notice had.',
    deletedBy: 'the person',
    tables: publicTables('notice_target notice_code'),
  },
  {
    id: 'holds',
    title: 'Open holds and allowances',
    until: 'owner',
    rule: 'Until a hold is settled; allowances of a person by day.',
    deletedBy: 'hold-expiry',
    tables: ['ledger.open_hold', 'ledger.allowance', ...publicTables('compute_claim unposted_usage')],
  },
  {
    id: 'providers',
    title: 'Providers of models',
    until: 'owner',
    rule: 'Sealed keys until an admin removes them; the newest state and test of each model; tokens of the present hour of each agent.',
    deletedBy: 'an admin',
    tables: publicTables('model_credential model_health model_hour provider_test'),
  },
];

const STATE: readonly KeepingRule[] = [
  {
    id: 'state',
    title: 'Present state',
    until: 'state',
    rule: 'One row for the village, for each of its settings, for each bot, for each agent and its lives, for each node that is short of memory, for each Schedule, for the archive and for each custom resource, also a deleted one.',
    tables: publicTables(
      'village village_setting channel_place node_shortage agent_life agent_presence agent_report agent_tier idle_sleep sample_agent api_key resource_seen schedule_author archive_state schema_migration',
    ),
  },
];

/** Everything that the database keeps. Pure data. */
export const KEEPING_RULES: readonly KeepingRule[] = [...RECORDS, ...BY_AGE, ...BY_COUNT, ...WITH_OWNER, ...STATE];
