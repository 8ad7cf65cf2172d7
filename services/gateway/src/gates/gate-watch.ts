import { Gauge } from 'prom-client'
import { contexts, type Database } from '@lettergate/database'
import { repeat, type Part, type Service } from '@lettergate/service'
import { readGates } from './platform-gate.entity.ts'
import { gateNames, type Ceilings, type GateName } from './gates.ts'

const everyMs = 5_000
const believedMs = 15_000

/** The gates as last read by this process, for answers that must not wait for the database. */
export interface GateWatch extends Part {
  /** The value, or the safe one if it is missing or older than 15 s: no sending, limits on. */
  effective(gate: GateName): boolean
  /** Reads the gates now; called after a change in this process. Never throws: the timer reads them again. */
  refresh(): Promise<void>
}

export async function watchGates(service: Service, db: Database, ceilings: Ceilings): Promise<GateWatch> {
  const system = contexts(db, service, {}).ofSystem('watch-gates')
  let read: { at: number; gates: Map<GateName, boolean> } | undefined
  const refresh = async () => {
    const gates = await system.tx((em) => readGates(em, ceilings))
    read = { at: performance.now(), gates: new Map(gates.map(({ name, effective }) => [name, effective])) }
  }
  await refresh()
  const effective = (gate: GateName) =>
    (read && performance.now() - read.at < believedMs ? read.gates.get(gate) : undefined) ??
    gate === 'rate_limit_enabled'
  new Gauge({
    name: 'lettergate_gate_open',
    help: 'Whether a platform gate is effectively open, as last read by this process',
    labelNames: ['gate'],
    registers: [service.metrics],
    collect() {
      for (const gate of gateNames) this.set({ gate }, effective(gate) ? 1 : 0)
    },
  })
  const reading = repeat(service, 'watch-gates', everyMs, refresh)
  return {
    effective,
    refresh: () => refresh().catch((error: unknown) => service.log.warn({ err: error }, 'the gates could not be read')),
    stop: () => reading.stop(),
  }
}
