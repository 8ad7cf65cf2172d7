import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em, type Row } from '@lettergate/database'

/** A time during which the switch of a gate was off. Triggers of the database write them. */
export const GateClosing = defineEntity({
  name: 'GateClosing',
  tableName: 'gate_closings',
  properties: {
    name: p.string().primary(),
    closedAt: p.datetime().primary(),
    openedAt: p.datetime().nullable(),
  },
})

const closingsMax = 1_000

/** The times since then during which the switch was off, newest first. */
export const readClosings = (em: Em, name: string, since: Date): Promise<Row<typeof GateClosing>[]> =>
  kyselyOf(em, GateClosing)
    .selectFrom('gate_closings')
    .selectAll()
    .where('name', '=', name)
    .where((eb) => eb.or([eb('opened_at', 'is', null), eb('opened_at', '>', since.toISOString())]))
    .orderBy('closed_at', 'desc')
    .limit(closingsMax)
    .execute()
