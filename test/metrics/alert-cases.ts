/** Series with which each alert must be quiet, then fire, then be quiet again. */

/** A village is well for half an hour, ill for three hours, and well for an hour; one value a minute. */
export const MINUTES = { well: 30, ill: 180, wellAgain: 60 } as const;

const LAST = MINUTES.well + MINUTES.ill + MINUTES.wellAgain;
const isIll = (minute: number): boolean => minute >= MINUTES.well && minute < MINUTES.well + MINUTES.ill;
const minutes = Array.from({ length: LAST }, (_, minute) => minute);
const joined = (valueAt: (minute: number) => number | '_'): string => minutes.map(valueAt).join(' ');

const gauge = (well: number, ill: number): string => joined((minute) => (isIll(minute) ? ill : well));
/** A counter that grows by `well` each minute, and by `ill` while the village is ill. */
function counter(well: number, ill: number): string {
  let sum = 0;
  return joined((minute) => (sum += isIll(minute) ? ill : well));
}
/** The time of something that happens each minute, except while the village is ill. */
const stamps = (): string => joined((minute) => (isIll(minute) ? MINUTES.well : minute) * 60);
const gone = (): string => joined((minute) => (isIll(minute) ? '_' : 1));

/** The buckets of 60 observations a minute, which take longer than `limit` while the village is ill. */
const slow = (metric: string, limit: string, above: string): Readonly<Record<string, string>> => ({
  [`${metric}_bucket{le="${limit}"}`]: counter(60, 0),
  [`${metric}_bucket{le="${above}"}`]: counter(60, 60),
  [`${metric}_bucket{le="+Inf"}`]: counter(60, 60),
});

/** Series by alert, without their namespace; values in promtool's form. */
export const ALERT_CASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  HamletLedgerBroken: { hamlet_ledger_broken_rules: gauge(0, 2) },
  HamletLedgerUnproven: { hamlet_ledger_failed_proofs: gauge(0, 0), hamlet_ledger_proven_seconds: stamps() },
  HamletTradeBroken: { hamlet_trade_broken_rules: gauge(0, 1) },
  HamletUnpaidPods: { hamlet_claims_unpaid_pods: gauge(0, 3) },
  HamletHoldsBroken: { hamlet_claims_broken_holds: gauge(0, 1) },
  HamletLogBroken: { hamlet_log_broken: gauge(0, 1) },
  HamletLogNotSealed: { hamlet_log_sealed_seconds: stamps() },
  HamletArchiveLags: { hamlet_archive_behind_seconds: gauge(70, 2_000), hamlet_archive_troubled: gauge(0, 1) },
  HamletSnapshotDamaged: { hamlet_world_snapshot_mismatches_total: gauge(0, 1) },
  HamletAnswerOutsideContract: { 'hamlet_http_answers_outside_contract_total{route="getWorld"}': gauge(0, 1) },
  HamletModelUnsettled: { hamlet_model_unsettled_total: gauge(0, 1) },
  HamletApiAbsent: { hamlet_world_seq: gone() },
  HamletNoWorldWriter: { hamlet_world_writing: gauge(1, 0) },
  HamletWorldBacklog: { hamlet_world_backlog_events: gauge(10, 9_000) },
  HamletPostgresAway: { hamlet_board_copy_age_seconds: gauge(1, 60) },
  HamletRedisAway: { hamlet_limits_shared: gauge(1, 0) },
  HamletApiErrors: {
    'hamlet_http_request_seconds_count{status="200"}': counter(60, 60),
    'hamlet_http_request_seconds_count{status="500"}': counter(1, 20),
  },
  HamletApiSlow: slow('hamlet_http_request_seconds', '1', '2.5'),
  HamletModelFailing: {
    'hamlet_model_requests_total{model="small",outcome="done"}': counter(60, 30),
    'hamlet_model_requests_total{model="small",outcome="failed"}': counter(1, 30),
  },
  HamletPaymentUnexplained: { hamlet_reconciliation_oldest_seconds: gauge(0, 90_000) },
  HamletPaymentsWaiting: { hamlet_payments_waiting: gauge(0, 2) },
  HamletPayPalRefused: { 'hamlet_paypal_deliveries_total{came="refused"}': counter(0, 1) },
  HamletNodeMemoryShort: { 'hamlet_node_memory_short{node="sparky1"}': gauge(0, 1) },
  HamletNoLeader: { hamlet_operator_leader: gauge(1, 0) },
  HamletWatchSilent: { 'hamlet_operator_watch_silence_seconds{kind="pods"}': gauge(20, 900) },
  HamletWatchForbidden: {
    'hamlet_operator_watch_failures_total{cause="forbidden",kind="nodes"}': counter(0, 1),
  },
  HamletReconcileStuck: { hamlet_operator_queue_longest_seconds: gauge(1, 200) },
  HamletQueueSlow: slow('hamlet_operator_queue_wait_seconds', '30', '120'),
  HamletReconcileErrors: {
    'hamlet_operator_reconciles_total{outcome="done"}': counter(60, 20),
    'hamlet_operator_reconciles_total{outcome="retry"}': counter(1, 40),
  },
  HamletApiServerThrottles: { 'hamlet_operator_kube_requests_total{status="429"}': counter(0, 60) },
  HamletOperatorLate: { hamlet_operator_loop_lateness_seconds: gauge(0.01, 1) },
  HamletFiringsLate: slow('hamlet_operator_firing_late_seconds', '30', '60'),
  HamletFiringsRefused: { 'hamlet_operator_firings_total{result="stale"}': counter(0, 1) },
  HamletDrift: { 'hamlet_operator_drift{kind="standing"}': gauge(0, 1) },
  HamletDriftUnaudited: { 'hamlet_operator_drift_audits_total{result="complete"}': counter(1, 0) },
  HamletBrokerAbsent: { hamlet_broker_follows_brakes: gone() },
  HamletBrokerCut: { hamlet_broker_follows_brakes: gauge(1, 0) },
  HamletBrokerUnrecorded: { 'hamlet_broker_attempts_total{refused="egress_log_unavailable"}': counter(0, 5) },
  HamletAuthorityEnds: { hamlet_broker_authority_ends_seconds: gauge(100_000_000, 1_000_000) },
};
