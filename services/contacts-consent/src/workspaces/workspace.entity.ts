import { defineEntity, p } from '@mikro-orm/core'

/** The workspaces known from events. An unknown workspace counts as archived. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  properties: {
    workspaceId: p.uuid().primary(),
    organization: p.text(),
    slug: p.text(),
    name: p.text(),
    isArchived: p.boolean(),
    changedAt: p.datetime(),
  },
})
