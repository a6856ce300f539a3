/** Checks and draws the manifests of workflows without the engine, also in a browser: its imports do not need Node. */
export { readManifests } from '../manifest/read-manifests.ts';
export { placeOfStage } from '../graph/stage-place.ts';
export { MANIFEST_NAMES } from '../manifest/manifests.ts';
export type { Manifests } from '../manifest/manifests.ts';
export { compilePlan } from '../plan/compile-plan.ts';
export type { ConfigError } from '../plan/config-error.ts';
export type { EdgeType, Plan, PlanEdge, PlanStage } from '../plan/plan.ts';
export { readPlan } from '../plan/read-plan.ts';
export { stageOfCall } from '../plan/stage-call-id.ts';
export { choosePipeline } from '../route/choose-pipeline.ts';
export { drawPlan } from '../graph/draw-plan.ts';
export { layoutPlan } from '../graph/layout-plan.ts';
export type { DrawnEdge, DrawnNode, LineStyle } from '../graph/layout-plan.ts';
export { edgeLabel, nodeLines, ruleText } from '../graph/graph-words.ts';
export { configErrorText } from '../cli/config-error-text.ts';
export { durationText, tokensText, turnsText } from '../cli/duration-text.ts';
export { manifestsText, summaryOfManifests } from '../cli/manifests-text.ts';
