import { arrayOf, columns, sql, statement, textsOf, type Em } from '@lettergate/database'
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

interface AtEmail {
  readonly person: Pick<EnrolledContact, 'enrollment_id' | 'audience_id'>
  readonly graph: Pick<Graph, 'joins'>
}

/**
 * The audiences of these enrollments by enrollment id. One without such a step is absent. Reads at most one step for each node that
 * joins an audience, and the first message of an enrollment without an audience of its trigger, whatever the enrollment did before.
 */
export async function readOwnAudiences(ctx: Ctx, at: readonly AtEmail[]): Promise<Map<string, OwnAudiences>> {
  const joining = at.filter(({ graph }) => graph.joins.size > 0)
  const withoutAudience = at.filter(({ person }) => person.audience_id === null)
  if (joining.length === 0 && withoutAudience.length === 0) return new Map()
  const [joined, first] = await ctx.tx(async (em) => [
    await joinedAudiences(em, ctx.workspaceId, joining),
    await firstAudiences(em, ctx.workspaceId, withoutAudience),
  ])
  const ids = new Set([...joined.keys(), ...first.keys()])
  return new Map(Array.from(ids, (id) => [id, { joined: joined.get(id) ?? [], ofFirstEmail: first.get(id) ?? null }]))
}

const selectJoins = statement('select-newest-joins', columns(EnrollmentStep, 'enrollment_id', 'node_key'))

/** The audiences that each enrollment joined, newest first. */
async function joinedAudiences(em: Em, workspaceId: string, at: readonly AtEmail[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  const nodes = at.flatMap(({ person, graph }) => Array.from(graph.joins.keys(), (key) => ({ person, key })))
  if (nodes.length === 0) return found
  const audiences = new Map(at.map(({ person, graph }) => [person.enrollment_id, graph.joins]))
  const rows = await selectJoins.rows(
    em,
    sql`select asked.enrollment_id, asked.node_key
          from unnest(${arrayOf(nodes.map(({ person }) => person.enrollment_id))}::uuid[], ${textsOf(nodes.map(({ key }) => key))}::text[])
            as asked (enrollment_id, node_key)
         cross join lateral (
           select number from enrollment_steps s
            where s.workspace_id = ${workspaceId} and s.enrollment_id = asked.enrollment_id and s.node_key = asked.node_key
              and s.node_type = 'add_audience' and s.outcome in ('applied', 'unchanged') order by number desc limit 1) newest
         order by asked.enrollment_id, newest.number desc`,
  )
  for (const { enrollment_id: id, node_key: key } of rows)
    found.set(id, [...(found.get(id) ?? []), audiences.get(id)!.get(key)!])
  return found
}

const selectFirst = statement(
  'select-audiences-of-first-emails',
  columns(EnrollmentStep, 'enrollment_id', 'audience_id'),
)

/** The audience of the first email of each enrollment. */
async function firstAudiences(em: Em, workspaceId: string, at: readonly AtEmail[]): Promise<Map<string, string>> {
  if (at.length === 0) return new Map()
  const rows = await selectFirst.rows(
    em,
    sql`select asked.enrollment_id, first.audience_id
          from unnest(${arrayOf(at.map(({ person }) => person.enrollment_id))}::uuid[]) as asked (enrollment_id)
         cross join lateral (
           select audience_id from enrollment_steps s
            where s.workspace_id = ${workspaceId} and s.enrollment_id = asked.enrollment_id and s.message_id is not null
              and s.audience_id is not null order by number limit 1) first`,
  )
  return new Map(rows.flatMap(({ enrollment_id, audience_id }) => (audience_id ? [[enrollment_id, audience_id]] : [])))
}
