import type { JsonObject } from '@bufbuild/protobuf'
import { sha256Of } from '@lettergate/canonical-json'
import type { LegacyEmail } from './emails/legacy-email.ts'
import type { EmailEntry, WorkflowEntry } from './manifest.ts'
import type { LegacyExport } from './read-export.ts'
import type { LegacyWorkflow } from './workflows/legacy-workflow.ts'

/** A change of what the program makes from the same export gets a new number, so that a repeat appends a version. */
const program = { program: 'lettergate-reconstruct', version: 1 } as const

/** The provenance of an email, as the API shows it. */
export const emailProvenance = (from: LegacyExport, entry: EmailEntry, email: LegacyEmail): JsonObject => ({
  ...common(from, 'email', entry, [
    entry.file,
    ...(entry.plain_text_file === undefined ? [] : [entry.plain_text_file]),
  ]),
  transformation: {
    ...program,
    format: entry.format,
    tokens_mapped: { ...email.tokensMapped },
    not_mapped: email.notMapped.slice(0, notMappedMax),
  },
})

const notMappedMax = 100

/** The provenance of a workflow. Its emails have provenances of their own. */
export const workflowProvenance = (from: LegacyExport, entry: WorkflowEntry, workflow: LegacyWorkflow): JsonObject => ({
  ...common(from, 'campaign', entry, [entry.file]),
  transformation: { ...program, format: entry.format },
  workflow_graph_sha256: sha256Of({ trigger: workflow.trigger, start: workflow.start, steps: workflow.steps }),
})

function common(
  { manifest, manifestSha256, sha256Of: hashOf }: LegacyExport,
  type: 'email' | 'campaign',
  entry: EmailEntry | WorkflowEntry,
  paths: readonly string[],
): JsonObject {
  const source_hashes = Object.fromEntries(paths.map((path) => [path, hashOf(path)]))
  return {
    source_system: manifest.source_system,
    source_object_type: type,
    source_object_id: entry.object_id,
    source_id: `${manifest.source_system}:${type}:${entry.object_id}`,
    source_repository_commit: manifest.source_repository_commit,
    checksum_manifest_sha256: manifestSha256,
    protected_source_outside_git: true,
    operator_review_required: true,
    source_hashes,
    source_checksum: sha256Of({ entry, source_hashes }),
  }
}
