import type { Artifact } from '@hamlet/contract';
import type { KeptArtifact } from '@hamlet/store';

export function artifactView(row: KeptArtifact): Artifact {
  return {
    artifact_id: row.artifactId,
    run_id: row.runId,
    call_id: row.callId,
    agent_id: row.agentId,
    name: row.name,
    media_type: row.mediaType,
    bytes: row.bytes,
    sha256: row.sha256.toHex(),
    deliverable: row.deliverable,
    version: row.version,
    image: row.imageType !== null,
    taint: row.taint,
    kept_at: row.keptAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}
