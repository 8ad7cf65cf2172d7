import { defineEntity, p } from '@mikro-orm/core'

/** What this service has heard of workspaces. One it never heard of counts as archived. */
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
