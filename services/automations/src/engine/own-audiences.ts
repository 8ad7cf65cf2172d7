import { arrayOf, columns, sql, statement } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import type { Graph } from '../definition/graph.ts'
import { EnrollmentStep } from '../enrollments/enrollment-step.entity.ts'
import type { EnrolledContact } from './enrolled-contact.ts'

/** What the finished steps of an enrollment say about its audiences. */
export interface OwnAudiences {
  /** those that its steps joined, newest first */
  readonly joined: readonly string[]
  /** that of its first email that was sent, or may have been */
  readonly ofFirstEmail: string | null
}

const stepColumns = columns(EnrollmentStep, 'enrollment_id', 'node_key', 'node_type', 'audience_id')
const selectSteps = statement('select-steps-with-audiences', stepColumns)

/** The audiences of these enrollments by enrollment id. One without such a step is absent. */
export async function readOwnAudiences(
  ctx: Ctx,
  at: readonly { person: EnrolledContact; graph: Graph }[],
): Promise<Map<string, OwnAudiences>> {
  const found = new Map<string, OwnAudiences>()
  if (at.length === 0) return found
  const graphs = new Map(at.map(({ person, graph }) => [person.enrollment_id, graph]))
  const steps = await ctx.tx((em) =>
    selectSteps.rows(
      em,
      sql`select enrollment_id, node_key, node_type, audience_id from enrollment_steps
           where workspace_id = ${ctx.workspaceId} and enrollment_id = any(${arrayOf([...graphs.keys()])}::uuid[])
             and ((node_type = 'add_audience' and outcome in ('applied', 'unchanged')) or audience_id is not null)
           order by enrollment_id, number desc`,
    ),
  )
  for (const { enrollment_id: id, node_key: key, audience_id: ofEmail } of steps) {
    const { joined, ofFirstEmail } = found.get(id) ?? { joined: [], ofFirstEmail: null }
    const node = graphs.get(id)!.nodeOf(key)
    found.set(id, {
      joined: node?.type === 'add_audience' ? [...joined, node.audienceId] : joined,
      ofFirstEmail: ofEmail ?? ofFirstEmail,
    })
  }
  return found
}
