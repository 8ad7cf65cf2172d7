import { setTimeout as sleep } from 'node:timers/promises'
import { openApi, signInAs } from '@lettergate/demo/api'
import { newId } from '@lettergate/database'
import { workspace, type Bench } from './bench.ts'

const atConsole = workspace.replace('/api/v1', '/console/api')
const insertedAtOnce = 20_000

export interface BenchNode {
  type: string
  config: object
  /** edges of a decision; the other nodes have an edge to the next one */
  condition?: object
}

export interface BenchAutomation {
  id: string
  versionId: string
  audienceId: string
  startNode: string
}

/** Creates, reviews and publishes an automation whose nodes follow each other. Its trigger is a new audience without members. */
export async function publishAutomation(
  { api, stack }: Bench,
  slug: string,
  nodes: readonly BenchNode[],
): Promise<BenchAutomation> {
  const audienceId = await createAudience(api, slug)
  const keyed = [...nodes, { type: 'end', config: {} } as BenchNode].map((node, n) => ({
    ...node,
    key: `${n}-${node.type}`,
  }))
  const edges = keyed.slice(1).flatMap((to, n) => {
    const { key, condition } = keyed[n]!
    const edge = { from: key, to: to.key }
    return [...(condition ? [{ ...edge, branch: 'yes', condition }] : []), { ...edge, branch: 'default' }]
  })
  const definition = {
    trigger: { type: 'audience_subscribed', config: { audience_id: audienceId } },
    start_node: keyed[0]!.key,
    nodes: keyed.map(({ key, type, config }) => ({ key, type, config })),
    edges,
  }
  const { automation } = await api.ok<{
    automation: { id: string; selected_version: { id: string; definition_checksum: string } }
  }>('POST', `${workspace}/automations`, { name: 'Bench', slug, definition })
  const { id, definition_checksum } = automation.selected_version
  const path = `automations/${automation.id}`
  await api.ok('POST', `${workspace}/${path}/ready-for-review`, { version_id: id, definition_checksum })
  const owner = openApi(stack.base_url, await signInAs('owner', stack.base_url))
  await owner.ok('POST', `${atConsole}/${path}/publish`)
  await owner.close()
  return { id: automation.id, versionId: id, audienceId, startNode: definition.start_node }
}

/** An audience without members. The event of its creation wakes the relay of contacts-consent. */
export async function createAudience(api: Bench['api'], slug: string): Promise<string> {
  const made = { name: 'Bench', slug, purpose: 'measure' }
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, made)
  return audience.id
}

/**
 * Inserts an enrollment of each contact, who waits at the start node until `dueAt`. SQL writes the rows, because another benchmark
 * measures enrolling. Call it in a transaction.
 */
export async function insertWaiting(
  { database }: Pick<Bench, 'database'>,
  { id, versionId, audienceId, startNode }: BenchAutomation,
  { contactIds, dueAt }: { contactIds: readonly string[]; dueAt: Date },
): Promise<void> {
  for (let from = 0; from < contactIds.length; from += insertedAtOnce) {
    const contacts = contactIds.slice(from, from + insertedAtOnce)
    await database.query(
      `with given as (
         select a.workspace_id, t.* from automations.automations a, unnest($6::uuid[], $7::uuid[], $8::uuid[]) as t (id, step_id, contact_id) where a.id = $1),
       begun as (
         insert into automations.enrollments (workspace_id, id, automation_id, version_id, contact_id, trigger_type, audience_id, correlation_id, trace, enrolled_at)
         select workspace_id, id, $1, $2, contact_id, 'audience_subscribed', $3, 'bench', '{}', now() from given),
       positions as (
         insert into automations.enrollment_positions (workspace_id, enrollment_id, automation_id, contact_id, state, node_key, step_id, step_number, due_at,
                                                       wait_until, arrived_at)
         select workspace_id, id, $1, contact_id, 'waiting', $4, step_id, 1, $5, $5, now() from given)
       insert into automations.due_enrollments (workspace_id, due_at, enrollment_id) select workspace_id, $5, id from given`,
      [id, versionId, audienceId, startNode, dueAt, contacts.map(() => newId()), contacts.map(() => newId()), contacts],
    )
  }
  await database.query('analyze automations.enrollments, automations.enrollment_positions, automations.due_enrollments')
}

/** Resolves when nobody is due any more and no worker has a set of contacts. */
export async function untilWorkedOff({ database }: Pick<Bench, 'database'>): Promise<void> {
  const isLeft = `select from automations.due_enrollments where due_at <= now() union all select from automations.enrollment_claims limit 1`
  while ((await database.query(isLeft)).rowCount! > 0) await sleep(50)
}

/** The finished steps of an automation, by outcome. */
export async function stepCounts(
  { database }: Pick<Bench, 'database'>,
  automationId: string,
): Promise<Record<string, number>> {
  const { rows } = await database.query<{ outcome: string; count: number }>(
    `select s.outcome, count(*)::int as count from automations.enrollment_steps s
       join automations.enrollments e on e.workspace_id = s.workspace_id and e.id = s.enrollment_id
      where e.automation_id = $1 group by s.outcome`,
    [automationId],
  )
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}
