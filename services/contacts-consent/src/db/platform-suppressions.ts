import { defineEntity, p } from '@mikro-orm/core'

/** Addresses that nobody on the platform may mail. It belongs to no tenant and holds no tenant's evidence. */
export const PlatformSuppressions = defineEntity({
  name: 'PlatformSuppression',
  tableName: 'platform_suppressions',
  properties: {
    id: p.uuid().primary(),
    normalizedEmail: p.text(),
    reason: p.text(),
    createdAt: p.datetime(),
    resolvedAt: p.datetime().nullable(),
  },
})
