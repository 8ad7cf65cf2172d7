import { defineEntity, p } from '@mikro-orm/core'

/** The database in which the gates were opened. One row. */
export const DatabaseMarker = defineEntity({
  name: 'DatabaseMarker',
  tableName: 'database_marker',
  properties: {
    isOnly: p.boolean().primary(),
    marker: p.text(),
  },
})
