import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em } from '@lettergate/database'
import { closeRestoredGates } from './close-restored-gates.ts'
import { effectiveGate, gateNames, isGateName, type Ceilings, type GateName } from './gates.ts'

/** The stored part of each platform gate; the other part is the ceiling of the environment. */
export const PlatformGate = defineEntity({
  name: 'PlatformGate',
  tableName: 'platform_gates',
  properties: {
    name: p.string().primary(),
    stored: p.boolean(),
    updatedBy: p.string().nullable(),
    updatedAt: p.datetime().nullable(),
  },
})

export interface Gate {
  name: GateName
  ceiling: boolean | null
  stored: boolean
  effective: boolean
  updatedBy: string | null
  updatedAt: Date | null
}

/**
 * Every gate with its current value, in the order of the specification. A gate without a row counts as closed, and the first
 * reading after a restore closes all.
 */
export async function readGates(em: Em, ceilings: Ceilings): Promise<Gate[]> {
  await closeRestoredGates(em)
  const found = await kyselyOf(em, PlatformGate).selectFrom('platform_gates').selectAll().execute()
  const byName = new Map(found.filter((gate) => isGateName(gate.name)).map((gate) => [gate.name, gate]))
  return gateNames.map((name) => {
    const gate = byName.get(name)
    const stored = gate?.stored ?? false
    return {
      name,
      ceiling: ceilings[name],
      stored,
      effective: effectiveGate(ceilings[name], stored),
      updatedBy: gate?.updated_by ?? null,
      updatedAt: gate?.updated_at == null ? null : new Date(gate.updated_at),
    }
  })
}
