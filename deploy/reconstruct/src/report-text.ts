import type { ReconstructionPlan } from './plan.ts'
import type { ReconstructedObject } from './reconstruct.ts'

const lines = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [`    ${title}`, ...items.map((item) => `      ${item}`)]

/** The result of a run for its operator. */
export function resultText(objects: readonly ReconstructedObject[]): string {
  const details = objects.flatMap((one) => [
    `  ${one.outcome.padEnd(9)} ${one.type} ${one.objectId} as ${one.slug}${one.reason === undefined ? '' : `: ${one.reason}`}`,
    ...lines('not mapped:', one.notMapped),
    ...lines('warnings:', one.warnings),
    ...lines('a person must review:', one.mustReview),
  ])
  const counts = (['created', 'appended', 'unchanged', 'refused'] as const).map(
    (outcome) => `${objects.filter((one) => one.outcome === outcome).length} ${outcome}`,
  )
  return [...details, counts.join(', '), ''].join('\n')
}

/** What a run would write, without asking the services. */
export function planText({ emails, workflows }: ReconstructionPlan): string {
  const objects = [
    ...emails.map(({ objectId, slug, email }) => [
      `  email ${objectId} as ${slug}`,
      ...lines('not mapped:', email.notMapped),
    ]),
    ...workflows.map((workflow) => {
      const { objectId, slug } = workflow
      const known = new Set(emails.map((email) => email.objectId))
      const { review } = workflow.define((id) =>
        known.has(id)
          ? { contentVersionId: '00000000-0000-7000-8000-000000000000' }
          : { reason: `the export has no email ${id}` },
      )
      return [
        `  workflow ${objectId} as ${slug}: ${review.mapped.length} steps mapped, ${review.not_mapped.length} not`,
        ...lines(
          'not mapped:',
          review.not_mapped.map(({ source, kind, reason }) => `${source} (${kind}): ${reason}`),
        ),
        ...lines('a person must review:', review.must_review),
      ]
    }),
  ]
  return [...objects.flat(), 'Nothing was written: this is a dry run.', ''].join('\n')
}
