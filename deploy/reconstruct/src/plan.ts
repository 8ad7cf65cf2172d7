import { emailProvenance, workflowProvenance } from './provenance.ts'
import type { LegacyEmail } from './emails/legacy-email.ts'
import { mauticFields } from './emails/from-mautic.ts'
import { readEmail } from './emails/read-email.ts'
import { slugOf, type EmailEntry, type WorkflowEntry } from './manifest.ts'
import { mapped, type LegacyMapping } from './mapping.ts'
import type { LegacyExport } from './read-export.ts'
import type { LegacyWorkflow } from './workflows/legacy-workflow.ts'
import { readWorkflow } from './workflows/read-workflow.ts'
import { toDefinition, type ContentOf } from './workflows/to-definition.ts'

/** What a run would write. It was read completely, so an unreadable file of the export stops the run before it writes. */
export interface ReconstructionPlan {
  readonly emails: readonly PlannedEmail[]
  readonly workflows: readonly PlannedWorkflow[]
}

export interface PlannedEmail {
  readonly objectId: string
  readonly slug: string
  readonly entry: EmailEntry
  readonly email: LegacyEmail
  readonly provenance: ReturnType<typeof emailProvenance>
}

export interface PlannedWorkflow {
  readonly objectId: string
  readonly slug: string
  readonly entry: WorkflowEntry
  readonly provenance: ReturnType<typeof workflowProvenance>
  /** The definition and the review, once it is known which emails are stored. */
  define(contentOf: ContentOf): ReturnType<typeof toDefinition>
}

export async function planOf(from: LegacyExport, mapping: LegacyMapping): Promise<ReconstructionPlan> {
  const emails: PlannedEmail[] = []
  for (const entry of from.manifest.emails) {
    const email = await readEmail(from, entry, mapping)
    const provenance = emailProvenance(from, entry, email)
    emails.push({
      objectId: String(entry.object_id),
      slug: slugOf(from.manifest, 'email', entry),
      entry,
      email,
      provenance,
    })
  }
  const workflows = from.manifest.workflows.map((entry): PlannedWorkflow => {
    const workflow: LegacyWorkflow = readWorkflow(from, entry)
    const known = entry.format === 'mautic.campaign' ? mauticFields : {}
    const fieldOf = (legacy: string) => mapped(mapping.fields, legacy) ?? mapped(known, legacy)
    return {
      objectId: String(entry.object_id),
      slug: slugOf(from.manifest, 'campaign', entry),
      entry,
      provenance: workflowProvenance(from, entry, workflow),
      define: (contentOf) => toDefinition(workflow, { mapping, contentOf, fieldOf }),
    }
  })
  return { emails, workflows }
}
