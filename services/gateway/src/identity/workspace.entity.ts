import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'
import { Organization } from './organization.entity.ts'
import { publish } from '@lettergate/events'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'

/** The tenants. The table has no row-level security, because the tenant of a request is looked up here. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    slug: p.string(),
    name: p.string(),
    isArchived: p.boolean().default(false),
    productionSendingEnabled: p.boolean().default(false),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

/** Workspaces w with their organizations o. */
const selectWorkspaces = (em: Em) =>
  kyselyOf(em, Workspace, Organization)
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select([
      'w.id',
      'o.slug as organization',
      'w.slug as workspace',
      'w.name',
      'w.is_archived',
      'w.production_sending_enabled',
    ])

export type WorkspaceRow = NonNullable<Awaited<ReturnType<typeof findWorkspace>>>

/** One workspace with its organization's slug. */
export const findWorkspace = (em: Em, id: string) => selectWorkspaces(em).where('w.id', '=', id).executeTakeFirst()

/** The id of one workspace, or the ids of all workspaces of an organization; empty when it does not exist. */
export async function workspaceIdsOf(em: Em, organization: string, workspace: string | undefined): Promise<string[]> {
  const ofOrganization = kyselyOf(em, Workspace, Organization)
    .selectFrom('workspaces as w')
    .innerJoin('organizations as o', 'o.id', 'w.organization_id')
    .select('w.id')
    .where('o.slug', '=', organization)
  const found = await (
    workspace === undefined ? ofOrganization : ofOrganization.where('w.slug', '=', workspace)
  ).execute()
  return found.map(({ id }) => id)
}

/** Turns sending to real recipients on or off; false when nothing changes. */
export async function setProductionSending(em: Em, id: string, enabled: boolean): Promise<boolean> {
  const { numUpdatedRows } = await kyselyOf(em, Workspace)
    .updateTable('workspaces')
    .set({ production_sending_enabled: enabled })
    .where('id', '=', id)
    .where('production_sending_enabled', '=', !enabled)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Announces the current state of a workspace to every service; call it in the transaction that changed it. */
export const announceWorkspace = (em: Em, workspace: WorkspaceRow): Promise<void> =>
  publish(em, WorkspaceChangedSchema, {
    workspaceId: workspace.id,
    organization: workspace.organization,
    workspace: workspace.workspace,
    name: workspace.name,
    isArchived: workspace.is_archived,
    productionSendingEnabled: workspace.production_sending_enabled,
  })
