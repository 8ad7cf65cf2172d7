import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@lettergate/database'
import { insertWaiting, publishAutomation } from '../automations.ts'
import type { Bench } from '../bench.ts'
import { processorMsByName, usedBetween } from '../processor-time.ts'
import type { Result } from '../result.ts'

const settleSeconds = 15
const seconds = 30
const yearMs = 31_536_000_000

/** The processor time of the worker and of its PostgreSQL sessions while contacts wait, beside the same without them. */
export async function waitingContacts(bench: Bench): Promise<Result[]> {
  const { database, options, print } = bench
  const { waiting: people } = options
  const automation = await publishAutomation(bench, 'bench-waiting', [
    { type: 'wait_duration', config: { seconds: 60 } },
  ])
  const without = await idleShares(bench)
  await database.query('begin')
  const contactIds = Array.from({ length: people }, () => newId())
  await insertWaiting(bench, automation, { contactIds, dueAt: new Date(Date.now() + yearMs) })
  await database.query('commit')
  await database.query(
    'vacuum analyze automations.due_enrollments, automations.enrollment_positions, automations.enrollments',
  )
  const withThem = await idleShares(bench)
  for (const table of ['due_enrollments', 'enrollment_positions', 'enrollments'])
    await database.query(`delete from automations.${table}`)
  print(
    `idle processor time with 0 and ${people} waiting contacts, ‰ of a core: ${shown(without)} and ${shown(withThem)}`,
  )
  return [
    {
      name: `${people} waiting contacts`,
      unit: '‰',
      ours: withThem.worker + withThem.postgres,
      floor: without.worker + without.postgres,
      ratio: (without.worker + without.postgres) / (withThem.worker + withThem.postgres),
      floorIs: 'not a floor: nobody waits. The worker and its sessions, of a core',
      note: `nobody: ${shown(without)}; ${people}: ${shown(withThem)}`,
    },
  ]
}

interface Shares {
  worker: number
  postgres: number
}

const shown = ({ worker, postgres }: Shares) => `worker ${worker.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)}`

/** In thousandths of a core. */
async function idleShares({ processes }: Bench): Promise<Shares> {
  await sleep(settleSeconds * 1_000)
  const before = processorMsByName(processes)
  await sleep(seconds * 1_000)
  const used = usedBetween(before, processorMsByName(processes))
  return {
    worker: (used.get('automations-worker') ?? 0) / seconds,
    postgres: (used.get('postgres: automations') ?? 0) / seconds,
  }
}
