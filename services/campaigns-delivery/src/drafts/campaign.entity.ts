import { defineEntity, p } from '@mikro-orm/core'
import type { CampaignStatus } from '../runs/run-states.ts'

export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    status: p.text().$type<CampaignStatus>().default('draft'),
    currentVersion: p.integer(),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    deletedAt: p.datetime().nullable(),
  },
})
