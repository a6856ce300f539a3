/** The manifests of workflows without the engine: they are checked and drawn in a browser and at a terminal too. No import of it needs Node. */
export { readManifests } from '../manifest/read-manifests.ts';
export { placeOfStage } from '../graph/stage-place.ts';
export type { ManifestPlace } from '../graph/stage-place.ts';
export { MANIFEST_NAMES } from '../manifest/manifests.ts';
export type { ManifestName, Manifests } from '../manifest/manifests.ts';
export { compilePlan } from '../plan/compile-plan.ts';
export type { ConfigCode, ConfigError } from '../plan/config-error.ts';
export type { EdgeType, NodeRole, Plan, PlanEdge, PlanStage } from '../plan/plan.ts';
export { planText } from '../plan/plan-text.ts';
export { readPlan } from '../plan/read-plan.ts';
export { choosePipeline } from '../route/choose-pipeline.ts';
export { drawPlan } from '../graph/draw-plan.ts';
export { layoutPlan } from '../graph/layout-plan.ts';
export type { DrawnEdge, DrawnNode, LineStyle, NodeShape, Point } from '../graph/layout-plan.ts';
export { edgeLabel, nodeLines } from '../graph/graph-words.ts';
export { configErrorText } from '../cli/config-error-text.ts';
export { durationText, tokensText } from '../cli/duration-text.ts';
export { manifestsText, summaryOfManifests } from '../cli/manifests-text.ts';
