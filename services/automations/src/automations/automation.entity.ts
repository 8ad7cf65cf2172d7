import { defineEntity, p } from '@mikro-orm/core'
import type { Expression } from 'kysely'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { AutomationStatus } from './automation-status.ts'

/**
 * An automation. Its definitions are in its versions. The review-ready fields are set together, and so are the fields of the last
 * publication. `triggerSubjectId` is the audience or tag of a trigger that enrols.
 */
export const Automation = defineEntity({
  name: 'Automation',
  tableName: 'automations',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    slug: p.text(),
    description: p.text().nullable(),
    status: p.text().$type<AutomationStatus>().default('draft'),
    currentVersion: p.integer(),
    reviewReadyVersion: p.integer().nullable(),
    reviewReadyByWalletId: p.text().nullable(),
    reviewReadyAt: p.datetime().nullable(),
    publishedVersionId: p.uuid().nullable(),
    publishedByWalletId: p.text().nullable(),
    publishedAt: p.datetime().nullable(),
    triggerType: p.text().nullable(),
    triggerSubjectId: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type AutomationRow = Row<typeof Automation>

export const selectAutomations = (em: Em, workspaceId: string) =>
  kyselyOf(em, Automation).selectFrom('automations').selectAll().where('workspace_id', '=', workspaceId)

/** The automation of this workspace. Throws Fault `not_found`. With `isLocked`, no other transaction changes it until the commit. */
export async function requireAutomation(
  em: Em,
  workspaceId: string,
  { id, isLocked = false }: { id: string; isLocked?: boolean },
): Promise<AutomationRow> {
  const found = isUuid(id)
    ? await selectAutomations(em, workspaceId)
        .where('id', '=', id)
        .$if(isLocked, (select) => select.forUpdate())
        .executeTakeFirst()
    : undefined
  if (found) return found
  throw new Fault('not_found', 'automation', 'There is no such automation.')
}

/** Those of these automations that are published now. */
export async function publishedAmong(em: Em, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await kyselyOf(em, Automation)
    .selectFrom('automations')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...new Set(ids)])))
    .where('status', '=', 'published')
    .execute()
  return new Set(found.map(({ id }) => id))
}

type Changeable = Omit<AutomationRow, 'workspace_id' | 'id' | 'slug' | 'created_at'>
type Changes = { [Name in keyof Changeable]?: Changeable[Name] | Expression<NonNullable<Changeable[Name]>> }

/** Changes an automation that the transaction has locked. */
export const changeAutomation = (
  em: Em,
  { workspace_id: workspaceId, id }: AutomationRow,
  changes: Changes,
): Promise<AutomationRow> =>
  kyselyOf(em, Automation)
    .updateTable('automations')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Without a version that is marked as ready for review. */
export const notReviewReady = {
  review_ready_version: null,
  review_ready_by_wallet_id: null,
  review_ready_at: null,
} as const
