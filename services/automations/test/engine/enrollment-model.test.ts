import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { openDatabase } from '@lettergate/database'
import { openBus } from '@lettergate/events'
import type { Service } from '@lettergate/service'
import { loadConfig, type Config } from '../../src/config.ts'
import { entities } from '../../src/entities.ts'
import { openContexts } from '../../src/open-contexts.ts'
import { openRuntime, type RuntimeStage } from '../runtime-stage.ts'
import { anyAct, type Act } from './acts.ts'
import { countDifferences } from './count-differences.ts'
import { playTrace } from './enrollment-traces.ts'

/** `AUTOMATION_TRACES=10000` plays more traces. `SEED` chooses them; each number means others. */
const traces = Number(process.env['AUTOMATION_TRACES'] ?? 52)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** Traces that are played at the same time. */
const atOnce = 4

let s: RuntimeStage
let ofCall: Parameters<typeof playTrace>[0]['ofCall']

/** The parts of the service without its loops, so that a trace decides what happens when. */
async function startWithoutLoops(service: Service, config: Config) {
  const db = await service.use(openDatabase(service, { url: config.databaseUrl, schema: 'automations', entities }))
  const bus = await service.use(openBus(service, config))
  ofCall = (await openContexts(service, config, { db, bus })).ofCall
  return {}
}
beforeAll(async () => {
  s = await openRuntime({ hasWorker: false })
  await s.stage.boot('automations', startWithoutLoops, loadConfig, s.env)
})
afterAll(() => s.close())

const play = (acts: readonly Act[]) =>
  playTrace(
    {
      query: (text, params) => s.stage.query(text, params),
      caller: (workspaceId) => s.stage.caller({ workspaceId }),
      content: (caller) => s.content(caller),
      sender: (caller) => s.sender(caller),
      ofCall,
    },
    acts,
  )

test(`whatever users, deploys and killed workers do, enrollments are as the model says and each effect happens once (SEED=${seed})`, async () => {
  const trace = fc.array(anyAct, { minLength: 1, maxLength: 25, size: 'max' })
  const parts = Array.from({ length: atOnce }, (_, part) => Math.ceil((traces - part) / atOnce)).filter(
    (runs) => runs > 0,
  )
  const played = await Promise.allSettled(
    parts.map((numRuns, part) => fc.assert(fc.asyncProperty(trace, play), { numRuns, seed: seed * atOnce + part })),
  )
  for (const one of played) if (one.status === 'rejected') throw one.reason
}, 3_600_000)

const changes: Act[] = [
  { act: 'deploy', what: 'append' },
  { act: 'deploy', what: 'pause' },
  { act: 'automation', what: 'archive' },
]
/** The nodes that ask another service, and how many runs lead from the trigger to them. */
const nodes = [
  { node: 'an email', runs: 1 },
  { node: 'an effect', runs: 2 },
]
test.each(nodes.flatMap((at) => changes.map((change) => ({ ...at, change }))))(
  'a claimed contact at $node waits there after $change, and passes it after the next publication',
  ({ runs, change }) =>
    play([
      { act: 'trigger', contact: 0, event: 'new' },
      { act: 'wait', seconds: 60 },
      ...Array.from({ length: runs }, (): Act => ({ act: 'run', worker: 0, goesOn: true })),
      change,
      { act: 'work', worker: 0 },
      { act: 'settle', worker: 0, goesOn: true },
    ]),
)

test('after all traces, the counts at nodes are those of the rows', async () => {
  expect(await countDifferences(s.stage)).toEqual([])
})
