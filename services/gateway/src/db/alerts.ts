import { defineEntity, p } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'

/** What a person should look at, until somebody says they did. */
export const AlertSchema = defineEntity({
  name: 'Alert',
  tableName: 'alerts',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid().nullable(),
    code: p.string(),
    severity: p.string(),
    summary: p.string(),
    detail: p.json<JsonObject>(),
    raisedAt: p.datetime(),
    acknowledgedBy: p.string().nullable(),
    acknowledgedAt: p.datetime().nullable(),
  },
})
