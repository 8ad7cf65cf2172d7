import type {
  GetAutomationVersionCountsRequest,
  GetAutomationVersionCountsResponseSchema,
} from '@lettergate/contracts/automations/v1/enrollments'
import { column, columns, sql, statement, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import { findVersion, type AutomationVersionRow } from '../automations/automation-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { readDefinition } from '../definition/read-definition.ts'
import { NodeCount } from './node-count.entity.ts'

/** How many contacts are at each node of a version and how its steps ended. Fault `not_found` also for a version of another automation. */
export async function getAutomationVersionCounts(
  ctx: Ctx,
  { automationId, versionId }: GetAutomationVersionCountsRequest,
): Promise<Reply<typeof GetAutomationVersionCountsResponseSchema>> {
  const { workspaceId } = ctx
  const found =
    isUuid(automationId) && isUuid(versionId)
      ? await ctx.tx(async (em) => {
          const version = await findVersion(em, { workspaceId, automationId }, { id: versionId })
          if (!version) return undefined
          const inOtherVersions = await contactsInOthers(em, version)
          return { version, counts: await countsOf(em, workspaceId, version.id), inOtherVersions }
        })
      : undefined
  if (!found) throw new Fault('not_found', 'automation_version', 'There is no such version of this automation.')
  const { version, counts, inOtherVersions } = found
  const sum = (key: string, ...counted: string[]) =>
    counted.reduce((all, each) => all + (counts.get(`${each} ${key}`) ?? 0), 0)
  const nodes = readDefinition(version.definition).definition?.nodes ?? []
  const inAll = (state: string) => nodes.reduce((all, { key }) => all + sum(key, state), 0)
  return {
    counts: {
      automationId: version.automation_id,
      automationVersionId: version.id,
      active: inAll('active'),
      waiting: inAll('waiting'),
      paused: inAll('paused'),
      completed: sum('', 'completed'),
      cancelled: sum('', 'cancelled'),
      failed: sum('', 'failed'),
      inOtherVersions,
      nodes: nodes.map(({ key, type }) => ({
        nodeKey: key,
        nodeType: type,
        active: sum(key, 'active'),
        waiting: sum(key, 'waiting'),
        paused: sum(key, 'paused'),
        passed: sum(key, ...passed),
        skipped: sum(key, 'skipped'),
        failed: sum(key, 'failed'),
        unknown: sum(key, 'unknown'),
      })),
    },
  }
}

/** The outcomes of steps that did what their node says, or had nothing to do. */
const passed = ['waited', 'decided', 'applied', 'unchanged', 'accepted', 'simulated', 'completed']

const countColumns = { ...columns(NodeCount, 'node_key', 'counted'), count: column.integer() }
const selectCounts = statement('select-node-counts', countColumns)

/** The sums over the slots, by what is counted and node. */
async function countsOf(em: Em, workspaceId: string, versionId: string): Promise<Map<string, number>> {
  const rows = await selectCounts.rows(
    em,
    sql`select node_key, counted, sum(count)::int as count from node_counts
         where workspace_id = ${workspaceId} and version_id = ${versionId} group by node_key, counted`,
  )
  return new Map(rows.map((row) => [`${row.counted} ${row.node_key}`, row.count]))
}

const selectInOthers = statement('select-contacts-in-other-versions', { contacts: column.integer() })

/** How many contacts are in the other versions of the automation now. */
async function contactsInOthers(em: Em, { workspace_id, automation_id, id }: AutomationVersionRow): Promise<number> {
  const [found] = await selectInOthers.rows(
    em,
    sql`select coalesce(sum(c.count), 0)::int as contacts
          from automation_versions v join node_counts c on c.workspace_id = v.workspace_id and c.version_id = v.id
         where v.workspace_id = ${workspace_id} and v.automation_id = ${automation_id} and v.id <> ${id}
           and c.counted in ('active', 'waiting', 'paused')`,
  )
  return found!.contacts
}
