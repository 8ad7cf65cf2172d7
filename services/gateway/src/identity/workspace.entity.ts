import { defineEntity, p } from '@mikro-orm/core'
import { row, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'

/** The tenants. Not itself a tenant table: which tenant a request means is found out here. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    slug: p.string(),
    name: p.string(),
    isArchived: p.boolean(),
    productionSendingEnabled: p.boolean(),
    createdAt: p.datetime(),
  },
})

export interface WorkspaceRow {
  id: string
  organization: string
  workspace: string
  name: string
  is_archived: boolean
  production_sending_enabled: boolean
}

/** One workspace with its organization's slug. */
export const findWorkspace = (em: Em, id: string): Promise<WorkspaceRow | undefined> =>
  row<WorkspaceRow>(
    em,
    sql`select w.id, o.slug as organization, w.slug as workspace, w.name, w.is_archived, w.production_sending_enabled
          from workspaces w join organizations o on o.id = w.organization_id where w.id = ${id}::uuid`,
  )

/** The ids of one workspace, or of all that an organization has; none when there is no such thing. */
export async function workspaceIdsOf(em: Em, organization: string, workspace: string | undefined): Promise<string[]> {
  const found = await rows<{ id: string }>(
    em,
    sql`select w.id from workspaces w join organizations o on o.id = w.organization_id
         where o.slug = ${organization} and (${workspace ?? null}::text is null or w.slug = ${workspace ?? null})`,
  )
  return found.map(({ id }) => id)
}

/** Tells every service what a workspace is now; call it in the transaction that changed it. */
export const announceWorkspace = (em: Em, workspace: WorkspaceRow): Promise<void> =>
  publish(em, WorkspaceChangedSchema, {
    workspaceId: workspace.id,
    organization: workspace.organization,
    workspace: workspace.workspace,
    name: workspace.name,
    isArchived: workspace.is_archived,
    productionSendingEnabled: workspace.production_sending_enabled,
  })
